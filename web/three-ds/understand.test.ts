// What each refusal comes to, for the shopper and for the page.

import { expect, test, vi } from 'vitest'
import type { RipperError } from '../checkout/failure.ts'
import type { PayableCheckout } from '../checkout/mounted-checkout.ts'
import type { State } from '../checkout/wire.ts'
import words from '../words/en.json' with { type: 'json' }
import { understand } from './understand.ts'

const declined = {
  status: 'declined',
  session_id: 'cs_1',
  payment_id: 'pay_1',
  decline: { code: 'card_declined', category: 'soft', reason: null },
  attempts_left: 0,
  order_reference: null,
  confirmation_url: null,
}

function deskWith(result: object | null) {
  const session = {
    id: 'cs_1',
    status: 'requires_payment',
    attempts_left: 0,
    expires_in_seconds: 60,
    last_decline: null,
  }
  const state = { session, three_ds: null, result } as unknown as State
  const alert = { textContent: '' }
  const complain = vi.fn()
  const checkout = {
    words,
    state,
    session: { ask: async () => state },
    ui: { alert },
    email: { complain },
  } as unknown as PayableCheckout
  return { checkout, alert, complain }
}

const refusal = (code: string, retry_after_seconds = 0) => ({ code, retry_after_seconds }) as RipperError

test.each([
  ['session_completed', { ...declined, status: 'captured' }, 'captured'],
  ['session_processing', { ...declined, status: 'processing' }, 'processing'],
  ['session_processing', null, 'processing'],
  ['session_declined', declined, 'declined'],
  ['attempts_exhausted', declined, 'declined'],
  ['attempts_exhausted', null, 'declined'],
  ['session_expired', null, 'expired'],
  ['session_expired', declined, 'expired'],
])('%s, recorded %j', async (code, recorded, status) => {
  const { checkout, alert } = deskWith(recorded)
  expect(await understand(checkout, refusal(code))).toMatchObject({ status, session_id: 'cs_1' })
  expect(alert.textContent).toBe('')
})

test('a missing email is the form’s to mend', async () => {
  const { checkout, complain } = deskWith(null)
  const result = await understand(checkout, refusal('customer_email_required'))
  expect(result).toMatchObject({ status: 'invalid' })
  expect(complain).toHaveBeenCalledWith('email_missing')
})

test.each([
  ['network_error', 0, words.connection_lost],
  ['merchant_not_active', 0, words.unavailable],
  ['rate_limit_exceeded', 0, words.too_many],
  ['rate_limit_exceeded', 65, words.too_many_wait.replace('{time}', '1:05')],
  ['invalid_request', 0, words.something_wrong],
])('%s after %i s is reported and thrown', async (code, seconds, text) => {
  const { checkout, alert } = deskWith(null)
  const error = refusal(code, seconds)
  await expect(understand(checkout, error)).rejects.toBe(error)
  expect(alert.textContent).toBe(text)
})

test.each([
  ['captured', true],
  ['held', true],
  ['processing', true],
  // It may be of the attempt before the one whose answer was lost.
  ['declined', false],
])('a lost connection after which %s stands recorded: shown %s', async (status, shown) => {
  const { checkout } = deskWith({ ...declined, status })
  const lost = refusal('network_error')
  if (shown) expect(await understand(checkout, lost)).toMatchObject({ status })
  else await expect(understand(checkout, lost)).rejects.toBe(lost)
})
