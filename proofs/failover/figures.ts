// From what clients were answered around a failover to the figures that people compare.

import type { DiaryCall } from '../storm/diary.ts'
import type { FailedOver } from '../storm/fail-over.ts'

export type Figures = {
  /** Writes that were acknowledged in the whole run. */
  acknowledged: number
  /** Between the death and the first write after it: answers of 503, and requests without any. */
  unavailable: number
  unanswered: number
  /** The slowest of those answers. */
  slowest_ms: number
  /** From the death of the primary until the other was promoted. */
  promotion_ms: number
  /** From the promotion until a write was acknowledged that began after the death. */
  after_promotion_ms: number
}

export function figuresOf(calls: readonly DiaryCall[], failed_over: FailedOver): Figures {
  const { died_ms, promoted_ms } = failed_over
  const acknowledged = calls.filter(
    ({ asked, said }) => asked.method === 'POST' && said.status !== null && said.status < 300,
  )
  const after = acknowledged.filter(({ begin_ms }) => begin_ms > died_ms)
  const first_ms = Math.min(...after.map(({ end_ms }) => end_ms))
  const meanwhile = calls.filter(({ end_ms }) => end_ms > died_ms && end_ms <= first_ms)
  const refused = meanwhile.filter(({ said }) => said.status === 503)
  return {
    acknowledged: acknowledged.length,
    unavailable: refused.length,
    unanswered: meanwhile.filter(({ said }) => said.status === null).length,
    slowest_ms: Math.max(0, ...refused.map(({ begin_ms, end_ms }) => end_ms - begin_ms)),
    promotion_ms: promoted_ms - died_ms,
    after_promotion_ms: first_ms - promoted_ms,
  }
}
