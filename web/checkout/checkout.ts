// The checkout object of a page: its element, its listeners, and its one payment.

import type { Checkout, CheckoutEvents, CheckoutOptions } from './api.ts'
import { RipperError } from './failure.ts'
import { mountCheckout } from './mount-checkout.ts'
import { type PayableCheckout, resultOf } from './mounted-checkout.ts'
import { run } from './run.ts'
import { sessionOpener } from './session.ts'

type EventName = keyof CheckoutEvents

export function newCheckout(public_key: string, options: CheckoutOptions): Checkout {
  const openSession = sessionOpener(public_key, options)
  const listeners = new Set<[name: EventName, listener: (event: never) => void]>()
  let life: AbortController
  let opened: ReturnType<typeof mountCheckout> | undefined

  const emit: PayableCheckout['emit'] = (name, event) => {
    for (const [wanted, listener] of listeners) {
      // A listener that throws must not disturb the payment.
      if (wanted === name) queueMicrotask(() => listener(event as never))
    }
  }

  const checkout: Checkout = {
    mount(target) {
      const place = typeof target === 'string' ? document.querySelector(target) : target
      if (!place) throw new RipperError('element_not_found', `No element matches ${target}.`)
      if (!opened) {
        life = new AbortController()
        const again = () => {
          checkout.unmount()
          checkout.mount(place)
          // The button that was pressed is gone.
          opened!.mounted.frame.element.focus()
        }
        opened = mountCheckout({
          publicKey: public_key,
          options,
          openSession,
          emit,
          signal: life.signal,
          again,
        })
      }
      const { host } = opened.mounted.ui
      if (host.parentNode !== place) place.append(host)
    },

    unmount() {
      life?.abort()
      opened?.mounted.ui.host.remove()
      opened = undefined
    },

    on(name, listener) {
      const entry: [EventName, (event: never) => void] = [name, listener]
      listeners.add(entry)
      return () => listeners.delete(entry)
    },

    async confirm(more) {
      if (!opened) throw new RipperError('not_mounted', 'mount() comes before confirm().')
      const { mounted, usable } = opened
      const checkout = await usable()
      if (!checkout) return resultOf(mounted, 'canceled')
      return run(checkout, (part) => part.pay(checkout, more?.email))
    },
  }
  return checkout
}
