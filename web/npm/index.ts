// checkout.js for bundlers: adds its script to the page once, and returns what the script offers. An import does nothing to the
// page, so a server can render with it.

import type { CheckoutFactory, Ripper, RipperFailure } from '../checkout/api.ts'

export type * from '../checkout/api.ts'

export type LoadOptions = {
  /** The address of checkout.js, such as `https://pay.example.com/checkout.js`. */
  src: string
  /** For an address with a version: the integrity that is published with it. */
  integrity?: string
  /** The nonce, if the page's policy allows scripts by nonce. */
  nonce?: string
}

/**
 * Returns the factory of checkouts, and the same one for the same key. Rejects with an error that has a `code`:
 * `script_not_loaded` (call again to try again), `not_in_browser`, or the code of checkout.js for a wrong key.
 */
export async function loadCheckout(public_key: string, options: LoadOptions): Promise<CheckoutFactory> {
  if (typeof document === 'undefined') {
    throw failure('not_in_browser', 'loadCheckout needs a page: call it in the browser.')
  }
  const ripper = loaded() ?? (await load(options))
  return ripper.loadCheckout(public_key)
}

let loading: Promise<Ripper> | undefined

function load(options: LoadOptions): Promise<Ripper> {
  loading ??= addScript(options).catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

function addScript({ src, integrity, nonce }: LoadOptions): Promise<Ripper> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.async = true
    if (integrity) {
      script.integrity = integrity
      script.crossOrigin = 'anonymous'
    }
    if (nonce) script.nonce = nonce
    const give = () => {
      const ripper = loaded()
      if (ripper) return resolve(ripper)
      script.remove()
      reject(failure('script_not_loaded', `${src} could not be loaded as checkout.js.`))
    }
    script.onload = give
    script.onerror = give
    try {
      script.src = trusted(src)
    } catch {
      return give()
    }
    document.head.append(script)
  })
}

type Policy = { createScriptURL(url: string): string }

let policy: Policy | undefined

/** The address in the form that Trusted Types demand. Throws if the page does not allow our policy. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  }
  policy ??= trustedTypes?.createPolicy('ripper-checkout-loader', { createScriptURL: (url) => url })
  return policy?.createScriptURL(url) ?? url
}

function loaded(): Ripper | undefined {
  return (globalThis as { Ripper?: Ripper }).Ripper
}

function failure(code: string, message: string): Error & RipperFailure {
  return Object.assign(new Error(message), { code, request_id: null, docs_url: null })
}
