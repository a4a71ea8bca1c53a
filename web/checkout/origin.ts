// The service's origin, from which this classic script was loaded.

const script = document.currentScript as HTMLScriptElement | null
const src = script?.src ?? ''

/** Empty where the script does not know it: as a module, in a bundle, as text in the page. */
export const origin = /\/checkout\.js(\?|$)/.test(src) ? new URL(src).origin : ''
/** The nonce, if the page allows scripts by nonce. What is added later needs it, too. */
export const nonce = script?.nonce ?? ''
