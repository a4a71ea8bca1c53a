// Gives the same short name to the same options, in whatever order a page writes them.

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  )
}

/** 64 bits that distinguish texts without revealing them, because options may contain an email address. */
export function digest(text: string): string {
  let one = 1
  let other = 2
  for (const each of text) {
    const code = each.codePointAt(0)!
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x9e3779b1)
  }
  return `${one}${other}`
}
