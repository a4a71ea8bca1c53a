// Which addresses of a bank our page may open in the shopper's browser.

/** Whether an address from a Directory Server or an ACS may become the target of one of our forms. */
export type MayOpen = (url: URL) => boolean

/** The rule for banks: a `javascript:` or `data:` address would run on the payment page's origin. */
export const httpsOnly: MayOpen = (url) => url.protocol === 'https:'

/** For test mode: also plain http, but only at the service's own simulator. */
export function httpsOrBelow(base: () => string): MayOpen {
  return (url) => httpsOnly(url) || (url.protocol === 'http:' && url.href.startsWith(new URL(`${base()}/`).href))
}

export function isAllowed(address: string, mayOpen: MayOpen): boolean {
  return URL.canParse(address) && mayOpen(new URL(address))
}
