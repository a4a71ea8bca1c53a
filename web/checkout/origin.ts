// The service's origin, from which this classic script was loaded.

const script = document.currentScript as HTMLScriptElement

export const origin = new URL(script.src).origin
/** The nonce, if the page allows scripts by nonce. A part that is loaded later needs it, too. */
export const nonce = script.nonce
