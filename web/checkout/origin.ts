// Where the service is: wherever this classic script came from.

const script = document.currentScript as HTMLScriptElement

export const origin = new URL(script.src).origin
/** Of a page that allows scripts by nonce; a part that is loaded later needs it too. */
export const nonce = script.nonce
