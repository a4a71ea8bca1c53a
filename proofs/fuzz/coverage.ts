// Which successes and which refusals of each operation were seen, against all that the description names.

import type { Operation } from './document.ts'

/** What a campaign cannot meet, and why; tests of their own provoke each. */
const out_of_reach: { code: string; path: RegExp; why: string }[] = [
  { code: 'internal_error', path: /./, why: 'is a fault wherever it is seen' },
  { code: 'store_unavailable', path: /./, why: 'the database is there all the time' },
  { code: 'idempotency_store_unavailable', path: /./, why: 'the database is there all the time' },
  {
    code: 'rate_limit_exceeded',
    path: /payment_intents/,
    why: 'the gateway limit is off, or nothing else would be seen',
  },
  {
    code: 'rate_limit_exceeded',
    path: /(public|\{handle\})\/sessions$/,
    why: 'sessions of pages are counted in live mode, which needs an acquirer',
  },
  {
    code: 'idempotency_key_in_use',
    path: /webhooks/,
    why: 'a second request waits for the first, which never runs for longer than it waits',
  },
  {
    code: 'rate_limit_exceeded',
    path: /logs\/stream$/,
    why: 'only too many listeners at once are refused, and here there are two',
  },
  {
    code: 'invalid_request',
    path: /checkout\/(config|methods)/,
    why: 'a query that is not text names an integration that is not found',
  },
]

function isWithinReach({ path }: Operation, code: string): boolean {
  return !out_of_reach.some((each) => each.code === code && each.path.test(path))
}

export type Coverage = {
  saw(operation: Operation, status: number, code: string | null): void
  /** Operations whose success was never reached. */
  unreached(): string[]
  /** One line an operation: its successes, and the refusals that were not seen. */
  lines(): string[]
  /** How many refusals of operations were seen, of how many that can be. */
  counts(): { seen: number; possible: number }
  statuses(): Map<number, number>
}

export function openCoverage(operations: Operation[]): Coverage {
  const seen = new Map<string, Map<string, number>>()
  const statuses = new Map<number, number>()
  const timesOf = (operation: Operation, what: string | number) => seen.get(operation.name)?.get(String(what)) ?? 0
  const possible = (operation: Operation) =>
    [...operation.refusals.keys()].filter((code) => isWithinReach(operation, code))
  const missed = (operation: Operation) => possible(operation).filter((code) => timesOf(operation, code) === 0)
  return {
    saw(operation, status, code) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const counts = seen.get(operation.name) ?? new Map<string, number>()
      seen.set(operation.name, counts)
      const what = status < 400 || code === null ? String(status) : code
      counts.set(what, (counts.get(what) ?? 0) + 1)
    },
    unreached: () => operations.filter((each) => timesOf(each, each.success) === 0).map(({ name }) => name),
    lines: () =>
      operations.map((operation) => {
        const { name, success } = operation
        const codes = possible(operation)
        const not_seen = missed(operation)
        const rest = not_seen.length === 0 ? '' : `; not seen: ${not_seen.join(', ')}`
        const done = `${success} ${timesOf(operation, success)} times`
        return `${name}: ${done}, ${codes.length - not_seen.length} of ${codes.length} refusals${rest}`
      }),
    counts: () => ({
      seen: operations.reduce((sum, each) => sum + possible(each).length - missed(each).length, 0),
      possible: operations.reduce((sum, each) => sum + possible(each).length, 0),
    }),
    statuses: () => new Map([...statuses].sort(([a], [b]) => a - b)),
  }
}
