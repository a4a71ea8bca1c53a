// Finds the digits in what the shopper typed or pasted, in any script and with anything between them.

/** The text of a field, and the position of its caret in UTF-16 units. */
export type FieldInput = { value: string; caret: number }

/** The digits alone, as ASCII. */
export function digitsOf(text: string): string {
  return (text.match(/\p{Nd}/gu) ?? []).map(asciiDigit).join('')
}

/** The text with the digits of every script as ASCII digits. */
export function withPlainDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, asciiDigit)
}

/** The position directly after so many digits; 0 for no digit. */
export function placeBehind(value: string, digits: number): number {
  let place = 0
  for (let left = digits; left > 0 && place < value.length; place++) {
    if (isDigit(value[place])) left--
  }
  return place
}

/**
 * The digits that remain when a deletion next to a gap takes the digit behind that gap. Null if the caret is next to a digit,
 * because the key then does the right thing by itself.
 */
export function deleteOverGap({ value, caret }: FieldInput, forward: boolean): FieldInput | null {
  const step = forward ? 1 : -1
  let at = forward ? caret : caret - 1
  if (at < 0 || at >= value.length || isDigit(value[at])) return null
  while (at >= 0 && at < value.length && !isDigit(value[at])) at += step
  if (at < 0 || at >= value.length) return null
  return { value: value.slice(0, at) + value.slice(at + 1), caret: forward ? caret : at }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

// Unicode keeps the ten digits of a script together from 0 to 9, so the place in the block is the value.
function asciiDigit(character: string): string {
  if (isDigit(character)) return character
  const code = character.codePointAt(0)!
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}
