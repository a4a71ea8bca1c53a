// What the clients of a simulated world remember of the answers they got, and hold against later ones.

import type { Answer } from './town.ts'
import type { Violations } from './violations.ts'

/** `email` is the one that the session was opened with; null without one. */
export type Created = {
  merchant_id: string
  id: string
  client_secret: string
  email: string | null
}

export type Memory = {
  /** An answer under a key. `scope` is whose key it is. */
  keepAnswer(scope: string, key: string, answer: Answer): void
  keepSession(created: Created): void
  /** The body of a confirm answer. */
  keepResult(body: Result): void
  /** That a payment was read as this. Answers must be given in the order in which they were asked for. */
  keepStatus(payment_id: string, status: string): void
  /** That a refund was read as this, as above. */
  keepRefund(refund: ReadRefund): void
  /** What must never be told or kept: named, so that a finding need not repeat it. */
  keepSecret(name: string, text: string): void
  sessions: Map<string, Created>
  results: Map<string, Result>
  statuses: Map<string, string>
  refunds: Map<string, ReadRefund>
  secrets: Map<string, string>
  outcomes: Map<string, number>
}

export type ReadRefund = { id: string; payment_id: string; amount: number; status: string }

export type Result = {
  status: string
  session_id: string
  payment_id: string
  attempt: { id: string }
}

/** Where a payment may go from where it was read to be. */
export const payment_edges: Record<string, string[]> = {
  pending: ['captured', 'held', 'voided', 'declined', 'failed'],
  held: ['captured', 'voided'],
  captured: [],
  voided: [],
  declined: [],
  failed: [],
}

export function openMemory(violations: Violations): Memory {
  const answers = new Map<string, { text: string; status: number }>()
  const memory: Memory = {
    sessions: new Map(),
    results: new Map(),
    statuses: new Map(),
    refunds: new Map(),
    secrets: new Map(),
    outcomes: new Map(),
    keepAnswer(scope, key, { status, text }) {
      if (status >= 300) return
      const known = answers.get(`${scope} ${key}`)
      if (!known) answers.set(`${scope} ${key}`, { text, status })
      else if (known.text !== text || known.status !== status) {
        violations.add('I1', `key ${key}: ${known.status} ${known.text}, then ${status} ${text}`)
      }
    },
    keepSession(created) {
      memory.sessions.set(created.id, created)
      memory.secrets.set(created.client_secret, 'a client secret')
    },
    keepResult(body) {
      const known = memory.results.get(body.attempt.id)
      if (known && known.status !== 'processing' && JSON.stringify(known) !== JSON.stringify(body)) {
        const [before, after] = [known, body].map((each) => JSON.stringify(each))
        violations.add('I2', `an attempt ended as ${before}, and then as ${after}`)
      }
      memory.results.set(body.attempt.id, body)
      if (body.status !== 'processing') count(memory.outcomes, body.status)
    },
    keepStatus(payment_id, status) {
      const known = memory.statuses.get(payment_id)
      if (known && known !== status && !payment_edges[known]!.includes(status)) {
        violations.add('I10', `${payment_id} was ${known}, and then ${status}`)
      }
      memory.statuses.set(payment_id, status)
    },
    keepRefund(refund) {
      const known = memory.refunds.get(refund.id)
      const goes_on = known?.status === 'pending' && known.amount === refund.amount
      if (known && known.status !== refund.status && !goes_on) {
        violations.add('I10', `${refund.id} was ${known.status}, and then ${refund.status}`)
      }
      memory.refunds.set(refund.id, refund)
    },
    keepSecret(name, text) {
      memory.secrets.set(text, name)
    },
  }
  return memory
}

export function count<Name>(counts: Map<Name, number>, name: Name, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more)
}
