// checkout.js: gives the page window.Ripper. If a page loads it twice, the first one stays.

import type { CheckoutFactory, Ripper } from './api.ts'
import { newCheckout } from './checkout.ts'
import { RipperError } from './failure.ts'
import { origin } from './origin.ts'

declare global {
  interface Window {
    Ripper?: Ripper
  }
}

if (!origin) {
  throw new RipperError(
    'script_misplaced',
    'Load checkout.js from the service by a <script src> of its own, not as a module or in a bundle.',
  )
}

const factories: Record<string, CheckoutFactory> = {}

window.Ripper ??= {
  version: RIPPER_VERSION,
  async loadCheckout(public_key) {
    if (!/^rip_pk_[0-9a-f]{48}$/.test(public_key)) {
      throw new RipperError('public_key_malformed', 'This is no publishable key (rip_pk_…).')
    }
    factories[public_key] ??= { checkout: (options) => newCheckout(public_key, options) }
    return factories[public_key]
  },
}
