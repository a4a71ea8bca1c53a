// The path of a request as it may be shown to people: only ids of ours stand in it, never what else was sent in their place.

const ids = /^(?:(?:cs|pay|whep)_[0-9a-f]{24}|rip_pk_[0-9a-f]{48}|[0-9a-f]{32})$/

/** `route` spells its parameters `:name`. One that has not the shape of its id is shown as `…`: it may be a secret or a card number. */
export function shownPath(route: string, params: Readonly<Record<string, string>>): string {
  return route.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    const value = name === undefined ? '' : (params[name] ?? '')
    return ids.test(value) || (name === 'handle' && isHandle(value)) ? value : '…'
  })
}

/** With as many digits as a card number it could be one. */
function isHandle(text: string): boolean {
  return /^[a-z0-9-]{3,64}$/.test(text) && text.replace(/\D/g, '').length < 12
}
