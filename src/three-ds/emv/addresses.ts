// Which addresses of a bank may be opened in the shopper's browser on our page's account.

/** Whether an address from a Directory Server or an ACS may become the target of one of our forms. */
export type MayOpen = (url: URL) => boolean

/** The rule for banks: a `javascript:` or `data:` address would run on the payment page's origin. */
export const httpsOnly: MayOpen = (url) => url.protocol === 'https:'

/** For test mode: also plain http, at the service's own simulator and nowhere else. */
export function httpsOrBelow(base: () => string): MayOpen {
  return (url) =>
    httpsOnly(url) || (url.protocol === 'http:' && url.href.startsWith(new URL(`${base()}/`).href))
}

export function isAllowed(address: string, mayOpen: MayOpen): boolean {
  return URL.canParse(address) && mayOpen(new URL(address))
}
