// The part of a receiver's answer that is kept: text that fits a database column and a merchant's screen.

const body_characters_max = 1024

/** The first 1,024 characters, without U+0000. Any bytes can be read as UTF-8. `cut`: there was more. */
export function shownText(bytes: Buffer, cut: boolean): string {
  if (bytes.length === 0) return ''
  // A character that the cut splits is left out rather than shown as damaged.
  const text = new TextDecoder().decode(bytes, { stream: cut }).replaceAll('\0', '')
  if (text.length <= body_characters_max) return text
  return Array.from(text).slice(0, body_characters_max).join('')
}

const location_characters_max = 300

/**
 * The target of a redirect, for people who must register that address. It leaves out what may be secret: user, query
 * and fragment. Undefined if it is no address that they could register.
 */
export function redirectTarget(location: string | string[] | undefined, from: URL): string | undefined {
  const target = typeof location === 'string' ? URL.parse(location, from.href) : null
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined
  return `${target.origin}${target.pathname}`.slice(0, location_characters_max)
}

/** Seconds, or the time until a date: RFC 9110, section 10.2.3. Null if it is neither. */
export function retryAfterSeconds(value: string | string[] | undefined, now: Date): number | null {
  const text = String(value ?? '').trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  // JavaScript accepts dates that HTTP does not.
  if (!/^[A-Z][a-z]{2,8}, [\w -]{9,11} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const seconds = Math.ceil((Date.parse(text) - now.getTime()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
