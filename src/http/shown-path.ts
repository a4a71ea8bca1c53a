// The path of a request in the form that people may see: with our ids, and without anything else in their place.

const ids =
  /^(?:(?:cs|pay|whep|ref|ch|evt|plink)_[0-9a-f]{24}|cs_(?:test|live)_[0-9a-zA-Z]{56}|rip_pk_[0-9a-f]{48}|[0-9a-f]{32})$/

/**
 * `route` spells its parameters `:name`. A value without the shape of its id becomes `…`: it may be a secret or a card
 * number.
 */
export function shownPath(route: string, params: Readonly<Record<string, string>>): string {
  return route.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    const value = name === undefined ? '' : (params[name] ?? '')
    return ids.test(value) || (name === 'handle' && isHandle(value)) ? value : '…'
  })
}

const parts_max = 8

/** The path of a request without a route. It keeps words that are common in paths, such as `/v1/payment_intent`. */
export function shownUnknownPath(url: string): string {
  const parts = url.split(/[?#]/)[0]!.split('/').slice(1)
  const shownParts = parts.slice(0, parts_max).map((part) => (isWord(part) || ids.test(part) ? part : '…'))
  return `/${shownParts.join('/')}${parts.length > parts_max ? '/…' : ''}`
}

/** A word has no digits except a version's, so it is no secret and no card number. */
function isWord(text: string): boolean {
  return /^(?:v\d{1,3}|[a-z][a-z_.-]{0,39})?$/i.test(text)
}

/** With as many digits as a card number it could be one. */
function isHandle(text: string): boolean {
  return /^[a-z0-9-]{3,64}$/.test(text) && text.replace(/\D/g, '').length < 12
}
