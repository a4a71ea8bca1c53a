// What goes wrong, how often, and how often it did. One switch ends it all.

import type { Chance } from './chance.ts'

/** How often each fault happens to an effect of its kind while faults are on; to a clock, whenever it is looked at. */
export const shares = {
  'sql: crash before': 0.0012,
  'sql: crash after': 0.0012,
  'sql: lost before': 0.0015,
  'sql: lost after': 0.0015,
  'sql: waits for a connection': 0.004,
  'sql: too many connections': 0.001,
  'sql: statement timed out': 0.0007,
  'sql: lock timed out': 0.001,
  'sql: deadlock': 0.001,
  'sql: lock timed out at an outcome': 0.03,
  'process: stalls': 0.0006,
  'process: stalls at the acquirer': 0.015,
  'process: stalls after an intent': 0.02,
  'clock: drifts': 0.2,
  'clock: far ahead': 0.04,
  'clock: far back': 0.04,
  'acquirer: crash before': 0.01,
  'acquirer: crash after': 0.01,
  'acquirer: not sent': 0.03,
  'acquirer: lost on its way': 0.04,
  'acquirer: arrives late': 0.04,
  'acquirer: answer lost': 0.05,
  'acquirer: answers late': 0.04,
  'acquirer: done twice': 0.04,
  'acquirer: error after the effect': 0.03,
  'acquirer: not found as yet': 0.3,
  'acquirer: cannot be asked': 0.06,
  'three_ds: not sent': 0.02,
  'three_ds: lost on its way': 0.02,
  'three_ds: answer lost': 0.02,
  'three_ds: crash before': 0.004,
  'three_ds: crash after': 0.004,
  'webhook: crash before': 0.003,
  'webhook: crash after': 0.003,
  'webhook: not sent': 0.02,
  'webhook: answer lost': 0.03,
  'webhook: hangs': 0.02,
  'webhook: 500': 0.08,
  'webhook: 410': 0.01,
  'webhook: 503 with a Retry-After that lies': 0.02,
  'webhook: answers late': 0.03,
  'request: lost on its way': 0.02,
  'request: answer lost': 0.03,
  'request: sent twice': 0.04,
  'acquirer: arrives after its reversal': 0.03,
  'three_ds: no ECI': 0.15,
  'bank: approves a part': 0.02,
  'bank: approves another amount': 0.02,
  'bank: approves another currency': 0.02,
  'bank: reserves what it was to capture': 0.04,
  'bank: declines what it approved': 0.04,
  'bank: refuses for the moment': 0.05,
  'bank: lists what is gone': 0.2,
  'bank: a list misses one': 0.1,
  'vendor: carries out a part': 0.01,
  'vendor: keeps an error': 0.015,
  'vendor: refuses to reverse': 0.1,
  'vendor: a notice comes a day late': 0.005,
  'vendor: posts nothing of it': 0.2,
  'vendor: charges again': 0.002,
  'vendor: decides nothing': 0.003,
  'vendor: shifts no liability': 0.02,
  'vendor: approves days later': 0.3,
  'vendor: a refund comes back': 0.01,
  'vendor: an authorisation lapses': 0.01,
  'portal: a hold is captured': 0.01,
  'portal: a part of a hold is captured': 0.004,
  'portal: a hold is voided': 0.01,
  'portal: all is refunded': 0.004,
  'portal: a part is refunded': 0.008,
  'portal: cancelled or refunded': 0.004,
  'books: a charge is lost': 0.03,
  'person: names another transaction': 0.05,
} as const satisfies Record<string, number>

/** What the nature of a world's bank and people bring about, as often as those decide. */
export const noted = [
  'bank: approves late',
  'bank: finds a duplicate',
  'bank: has forgotten',
  'bank: settles later',
  'bank: lists late',
  'bank: lets an authorisation lapse',
  'database: went back',
  'portal: captured',
  'portal: partly captured',
  'portal: voided',
  'portal: reversed',
] as const

/** What happens to a request that may move money, on its way to an acquirer and back. The order decides what a draw means. */
export const move_faults = [
  'acquirer: crash before',
  'acquirer: crash after',
  'acquirer: not sent',
  'acquirer: lost on its way',
  'acquirer: arrives late',
  'acquirer: answer lost',
  'acquirer: answers late',
  'acquirer: done twice',
  'acquirer: error after the effect',
  'acquirer: arrives after its reversal',
] as const

/** What vendors do by themselves, and people in their portals, so many times as often. */
export function habitsTimes(times: number): Partial<Shares> {
  const kinds = Object.keys(shares).filter((kind) => /^(vendor|portal|books|person): /.test(kind))
  return Object.fromEntries(kinds.map((kind) => [kind, Math.min(0.5, times * shares[kind as keyof Shares])]))
}

export type Shares = Record<keyof typeof shares, number>

export type NotedFault = (typeof noted)[number]
export type Fault = keyof typeof shares | NotedFault

export type Faults = {
  /** Whether it happens now. Of several kinds the first that does is the one. */
  happens<Kind extends keyof typeof shares>(...kinds: Kind[]): Kind | null
  /** Counts what happened without being asked for here. */
  note(kind: NotedFault): void
  /** From now on nothing goes wrong. */
  stop(): void
  are_on(): boolean
  counts: Map<Fault, number>
}

/** `more` is how often some of them happen in this world instead. */
export function openFaults(chance: Chance, more: Partial<Shares> = {}): Faults {
  let on = true
  const share: Shares = { ...shares, ...more }
  const counts = new Map<Fault, number>()
  return {
    counts,
    happens(...kinds) {
      let drawn = chance.next()
      if (!on) return null
      for (const kind of kinds) {
        drawn -= share[kind]
        if (drawn >= 0) continue
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
        return kind
      }
      return null
    },
    note: (kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1),
    stop() {
      on = false
    },
    are_on: () => on,
  }
}
