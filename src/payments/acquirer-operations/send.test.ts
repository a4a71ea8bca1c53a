// Which requests say that they were sent before, and which that they fit a second time.

import { expect, test } from 'vitest'
import type { Acquirer, SettleRequest } from '../../acquirers/acquirer.ts'
import { callToSettle } from './send.ts'

test.each([
  ['the first time', 0, false],
  ['again, a minute later', 60_000, true],
  ['again, by a clock that was set back', -60_000, true],
])('sent %s', async (_, later_ms, is_repeat) => {
  const requests: SettleRequest[] = []
  const refund = async (request: SettleRequest) => {
    requests.push(request)
    return { result: 'approved', acquirer_transaction_id: 'theirs' }
  }
  const sent_at = new Date('2026-11-27T12:00:00Z')
  const last_sent_at = new Date(sent_at.getTime() + later_ms)
  const operation = { operation_id: 'ours', kind: 'refund', amount: 1, currency: 'EUR', sent_at, last_sent_at }
  const subject = { operation, payment: { mode: 'test' }, authorisation: {} } as never
  await callToSettle({ acquirerOf: () => ({ refund }) as unknown as Acquirer }, subject)()
  expect(requests).toMatchObject([{ reference: 'ours', is_repeat }])
})

test.each([
  ['capture', 2100, true],
  ['capture', 2101, undefined],
  ['capture', 4200, undefined],
  ['refund', 1, undefined],
  ['void', 1, undefined],
] as const)('a %s of %i of 4200', async (kind, amount, fits_twice) => {
  const requests: SettleRequest[] = []
  const ask = async (request: SettleRequest) => {
    requests.push(request)
    return { result: 'approved', acquirer_transaction_id: 'theirs' }
  }
  const sent_at = new Date('2026-11-27T12:00:00Z')
  const operation = { operation_id: 'ours', kind, amount, currency: 'EUR', sent_at, last_sent_at: sent_at }
  const subject = { operation, payment: { mode: 'test', amount: 4200 }, authorisation: {} } as never
  await callToSettle({ acquirerOf: () => ({ [kind]: ask }) as unknown as Acquirer }, subject)()
  expect(requests[0]!.fits_twice).toBe(fits_twice)
})
