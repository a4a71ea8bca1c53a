// Which requests say that they were sent before.

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
