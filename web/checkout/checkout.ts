// The checkout object of a page: its element, its listeners, and its one payment.

import type { Checkout, CheckoutEvents, CheckoutOptions } from './api.ts'
import { type Desk, resultOf } from './desk.ts'
import { RipperError } from './failure.ts'
import { openDesk } from './open.ts'
import { run } from './run.ts'
import { sessionOpener } from './session.ts'

type Names = keyof CheckoutEvents

export function newCheckout(publicKey: string, options: CheckoutOptions): Checkout {
  const openSession = sessionOpener(publicKey, options)
  const listeners = new Set<[name: Names, listener: (event: never) => void]>()
  let life: AbortController
  let opened: ReturnType<typeof openDesk> | undefined

  const emit: Desk['emit'] = (name, event) => {
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
        opened = openDesk({ publicKey, options, openSession, emit, signal: life.signal, again })
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
      const entry: [Names, (event: never) => void] = [name, listener]
      listeners.add(entry)
      return () => listeners.delete(entry)
    },

    async confirm(more) {
      if (!opened) throw new RipperError('not_mounted', 'mount() comes before confirm().')
      const { mounted, usable } = opened
      const desk = await usable()
      if (!desk) return resultOf(mounted, 'canceled')
      return run(desk, (part) => part.pay(desk, more?.email))
    },
  }
  return checkout
}
