// What a check of `ripper doctor` finds, and what a check is.

/** `not_checked`: something else has to be put right, or be there, before this can be looked at. */
export type Status = 'ok' | 'warning' | 'problem' | 'not_checked'

export type Finding = {
  status: Status
  /** What was found, in a sentence for people. Never a secret. */
  found: string
  /** What to do about it; null where nothing has to be done. */
  to_do: string | null
}

/** One thing that is looked at. Facts were read before: a check only judges them. */
export type Check<Facts> = { name: string; judge(facts: Facts): Finding }

export type Checked = { name: string } & Finding

export const ok = (found: string): Finding => ({ status: 'ok', found, to_do: null })

export const warning = (found: string, to_do: string): Finding => ({
  status: 'warning',
  found,
  to_do,
})

export const problem = (found: string, to_do: string): Finding => ({
  status: 'problem',
  found,
  to_do,
})

export const notChecked = (found: string): Finding => ({
  status: 'not_checked',
  found,
  to_do: null,
})

/** Each check's finding. Where the facts could not be had, why not. */
export function judgeAll<Facts>(checks: Check<Facts>[], facts: Facts | string): Checked[] {
  return checks.map(({ name, judge }) => ({
    name,
    ...(typeof facts === 'string' ? notChecked(facts) : judge(facts)),
  }))
}

/** `3 keys`, `1 key`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const named_max = 3

/** The first of them by name, and how many more there are. */
export function named(names: string[]): string {
  const more = names.length - named_max
  const shown = names.slice(0, named_max).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
