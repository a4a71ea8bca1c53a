// base64url as EMV 3-D Secure's browser messages use it: sent without padding, accepted with or without.

export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

/** The text of an encoded value, or null if it is not base64url of UTF-8. */
export function decode(text: string): string | null {
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return null
  try {
    return utf8.decode(Buffer.from(text, 'base64url'))
  } catch {
    return null
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
