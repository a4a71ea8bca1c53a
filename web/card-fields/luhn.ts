// The check digit of card numbers.

/** Whether a string of ASCII digits passes the Luhn check. */
export function luhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]) * (1 + (index % 2))
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}
