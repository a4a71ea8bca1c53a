// Stripe's idempotency keys: any result is kept for a day once its request began to be carried out, an error too. A key that comes
// with another request is an error, and so is one whose first request is not over.

import type { Clock } from '../../../../src/kernel/world.ts'

export type Answer = [status: number, body: object]

type Entry = {
  at: Date
  request: string
  /** Null while nobody knows. */
  known_at: Date | null
  answer: () => Answer
}

export type KeyAnswer = { answer: Answer; replayed: boolean }

const kept_ms = 24 * 3_600_000

export function openKeys({ clock }: { clock: Pick<Clock, 'now'> }) {
  const entries = new Map<string, Entry>()
  return {
    /** What the key brings back; null where it is new. */
    recall(key: string, request: string): KeyAnswer | null {
      const found = entries.get(key)
      const now = clock.now()
      if (!found || now.getTime() - found.at.getTime() >= kept_ms) return null
      if (found.request !== request) {
        return { answer: errorAnswer(400, 'idempotency_error'), replayed: false }
      }
      if (!found.known_at || found.known_at > now) {
        const code = 'idempotency_key_in_use'
        return { answer: errorAnswer(409, 'idempotency_error', { code }), replayed: false }
      }
      return { answer: found.answer(), replayed: true }
    },

    keep(key: string, request: string, known_at: Date | null, answer: () => Answer): void {
      let given: Answer | null = null
      const once = () => {
        // As it was when it was carried out, whatever happened since.
        given ??= structuredClone(answer())
        return given
      }
      entries.set(key, { at: clock.now(), request, known_at, answer: once })
      if (known_at && known_at <= clock.now()) once()
    },
  }
}

export function errorAnswer(status: number, type: string, members: object = {}): Answer {
  return [status, { error: { type, message: 'No', ...members } }]
}
