// Checks an email address.

/** The service's own rule: at most 254 characters, one @, a dot in the domain. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text) && !text[254]
}
