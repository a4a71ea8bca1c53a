// How a refusal names a field: by its JSON path. It repeats no data that a caller may have put there by mistake.

/** `items[2].sku` for `['items', 2, 'sku']`. A name with as many digits as a card number is not repeated. */
export function fieldPath(parts: readonly PropertyKey[]): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? shown(String(part)) : `.${shown(String(part))}`
  }
  return text
}

const shown_characters_max = 100
/** A number that begins in the visible part may end after it. */
const judged_characters_max = 2 * shown_characters_max

function shown(name: string): string {
  const digits = name.slice(0, judged_characters_max).match(/\p{Nd}/gu)?.length ?? 0
  // Half of a pair at the cut would be no text, which the database refuses.
  return digits >= 12 ? '(a name of digits)' : name.slice(0, shown_characters_max).toWellFormed()
}
