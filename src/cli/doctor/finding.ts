// The types of a check of `ripper doctor` and of its finding.

/** `not_checked`: something else must be corrected or exist before this can be checked. */
export type Status = 'ok' | 'warning' | 'problem' | 'not_checked'

export type Finding = {
  status: Status
  /** What was found, in a sentence for people. Never a secret. */
  found: string
  /** What to do about it; null if there is nothing to do. */
  to_do: string | null
}

/** One check. It judges facts that were read before. */
export type Check<Facts> = { name: string; judge(facts: Facts): Finding }

export type CheckResult = { name: string } & Finding

export const ok = (found: string): Finding => ({ status: 'ok', found, to_do: null })

export const warning = (found: string, to_do: string): Finding => ({ status: 'warning', found, to_do })

export const problem = (found: string, to_do: string): Finding => ({ status: 'problem', found, to_do })

export const notChecked = (found: string): Finding => ({ status: 'not_checked', found, to_do: null })

/** Facts that could not be read although nothing else was found to prevent it, or that did not come in time. */
export class ReadFailure {
  readonly finding: Finding
  constructor(finding: Finding) {
    this.finding = finding
  }
}

/** Without facts, why there are none: words where another check shows the cause. */
export type FactsOrReason<Facts> = Facts | string | ReadFailure

/** Each check's finding. What could not be looked at for no known cause is no better than what is wrong. */
export function judgeAll<Facts>(checks: Check<Facts>[], facts: FactsOrReason<Facts>): CheckResult[] {
  return checks.map(({ name, judge }) => ({ name, ...judged(judge, facts) }))
}

function judged<Facts>(judge: Check<Facts>['judge'], facts: FactsOrReason<Facts>): Finding {
  if (typeof facts === 'string') return notChecked(facts)
  if (facts instanceof ReadFailure) return facts.finding
  return judge(facts)
}

/** `3 keys`, `1 key`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

const named_max = 3

/** The first names, and how many more there are. */
export function named(names: string[], between = ', '): string {
  const more = names.length - named_max
  const shown = names.slice(0, named_max).join(between)
  return more > 0 ? `${shown} and ${more} more` : shown
}
