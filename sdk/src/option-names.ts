// Options by their names: one that is spelled otherwise would be passed over, and with it what it was meant to keep safe.

import { UsageError } from './errors.ts'

/** Throws UsageError where they are no object, or one of them is not among the names. */
export function judgeOptionNames(options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(`The options must be an object, with any of: ${names.join(', ')}.`)
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const meant = names.find((name) => bare(name) === bare(unknown))
  const hint = meant ? `${meant} is meant, perhaps` : `there are ${names.join(', ')}`
  throw new UsageError(`${unknown} is no option: ${hint}.`)
}

function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
