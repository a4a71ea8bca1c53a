// Refuses misspelled options: to ignore one would drop the protection that it was meant to give.

import { UsageError } from './errors.ts'

/** Throws UsageError if the options are not an object, or if one of them is not among the names. */
export function validateOptionNames(options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(`The options must be an object, with any of: ${names.join(', ')}.`)
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const meant = names.find((name) => bare(name) === bare(unknown))
  const hint = meant ? `Do you mean ${meant}?` : `There are ${names.join(', ')}.`
  throw new UsageError(`${unknown} is not an option. ${hint}`)
}

function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
