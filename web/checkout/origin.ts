// The service's origin, from which this classic script was loaded.

const script = document.currentScript as HTMLScriptElement | null
const src = script?.src ?? ''

// A module, a bundle and a text in the page do not say where they are from.
if (!/\/checkout\.js(\?|$)/.test(src)) {
  throw Object.assign(
    new Error(
      'Load checkout.js from the service by a <script src> of its own, not as a module or in a bundle.',
    ),
    { code: 'script_misplaced' },
  )
}

export const origin = new URL(src).origin
/** The nonce, if the page allows scripts by nonce. What is added later needs it, too. */
export const nonce = script!.nonce
