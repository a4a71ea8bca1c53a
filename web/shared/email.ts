// What counts as an email address.

/** The service's own rule. */
export function isEmail(text: string): boolean {
  return text.length < 255 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
}
