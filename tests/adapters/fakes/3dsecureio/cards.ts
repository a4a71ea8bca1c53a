// The cards of 3dsecure.io's sandbox, which show by their last four digits how they behave, beside the test cards of our own
// bank, which show more.

import { type ThreeDsBehaviour, testCardOf } from '../../../../src/cards/test-cards.ts'
import type { Brand } from '../../../../src/kernel/values.ts'
import { method_path, offers, silent_method_path } from '../../../../src/three-ds/simulated-issuer/test-ranges.ts'
import { cardThat } from '../bank.ts'

export type FakeCard = {
  start: string
  end: string
  method_path: string | null
  /** The test card of the banks behind the fake that behaves so. */
  stand_in: string
  is_sandboxed: boolean
}

const versions = { 0: ['2.1.0', '2.2.0'], 1: ['2.1.0', '2.1.0'], 2: ['2.2.0', '2.2.0'] } as const
const methods = { 0: method_path, 1: null, 2: silent_method_path } as const
const outcomes: Record<string, ThreeDsBehaviour> = {
  '03': 'authenticated',
  '13': 'not_authenticated',
  '23': 'attempted',
  '33': 'rejected',
  '43': 'informational',
  '53': 'unavailable',
  '63': 'ds_timeout',
  '70': 'challenge_auto_pass',
  '71': 'challenge_auto_fail',
  '72': 'challenge_otp',
}

/** Null for a number in no range. */
export function cardOf(number: string): FakeCard | null {
  const own = testCardOf(number)
  if (own) {
    const offer = offers[own.ranges]
    return offer && { ...offer, stand_in: number, is_sandboxed: false }
  }
  const [, version, method, outcome] = /([012])([012])(\d\d)$/.exec(number) ?? []
  const three_ds = outcome === undefined ? undefined : outcomes[outcome]
  if (three_ds === undefined) return null
  const [start, end] = versions[Number(version) as 0 | 1 | 2]
  return {
    start,
    end,
    method_path: methods[Number(method) as 0 | 1 | 2],
    stand_in: cardThat(brandOf(number), { three_ds }),
    is_sandboxed: true,
  }
}

function brandOf(number: string): Brand {
  if (/^3[47]/.test(number)) return 'amex'
  return /^[25]/.test(number) ? 'mastercard' : 'visa'
}
