// Every card of test mode, in the words of the specification: what each does, to whom, and what can be read of it.

import { describe, expect, test } from 'vitest'
import { openChallenge, refusal, runChallenge, wordsOf } from '../support/client.ts'
import { lateResult, type PaidCourse, payAndTell } from '../support/paying.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })

// Visa, Mastercard and Amex | state, after a challenge where there was one | authentication | outcome.
const scenarios = `
4000009100020000 5200009100070000 340000910004000 | authenticated | Authenticated | captured
4000009200010000 5200009200060000 340000920003000 | authenticated | Authenticated | captured
4000009300000000 5200009300050000 340000930002000 | authenticated | Authenticated | captured
4000009400090000 5200009400040000 340000940001000 | authenticated | Authenticated | captured
4000009500080000 5200009500030000 340000950009000 | authenticated | Authenticated | captured
4000009100080020 5200009100030020 340000910002020 | attempted | Attempted | captured
4000009100000010 5200009100050010 340000910003010 | failed | Failed | declined authentication_failed soft
4000009100060030 5200009100010030 340000910001030 | rejected | Failed | declined authentication_rejected fraud
4000009100040040 5200009100090040 340000910000040 | informational | absent | captured
4000009100010050 5200009100060050 340000910008050 | unavailable | absent | captured
4000009100090060 5200009100040060 340000910007060 | unavailable | absent | captured
4000009100070070 5200009100020070 340000910006070 | challenge authenticated | Authenticated | captured
4000009100060071 5200009100010071 340000910001071 | challenge failed | Failed | declined authentication_failed soft
4000009100050072 5200009100000072 340000910005072 | challenge authenticated | Authenticated | captured
4000009100040073 5200009100090073 340000910000073 | challenge failed | Failed | declined authentication_timeout soft
4000009100030074 5200009100080074 340000910009074 | challenge failed | Failed | declined authentication_canceled soft
4000009100020075 5200009100070075 340000910004075 | challenge failed | Failed | declined authentication_failed soft
4000009100010076 5200009100060076 340000910008076 | challenge authenticated | Authenticated | captured
4000009100000077 5200009100050077 340000910003077 | challenge unavailable | absent | captured
4000009100090078 5200009100040078 340000910007078 | challenge rejected | Failed | declined authentication_rejected fraud
4000009100050080 5200009100000080 340000910005080 | unavailable | absent | captured
4000009100040081 5200009100090081 340000910000081 | unavailable | absent | captured
4000009000030000 5200009000080000 340000900000000 | not_enrolled | absent | captured
4000009100510000 5200009100560000 340000910056000 | authenticated | Authenticated | declined do_not_honor soft
4000009105150000 5200009105100000 340000910513000 | authenticated | Authenticated | declined insufficient_funds soft
4000009105490000 5200009105440000 340000910546000 | authenticated | Authenticated | declined expired_card hard
4000009104160000 5200009104110000 340000910419000 | authenticated | Authenticated | declined lost_card hard
4000009104320000 5200009104370000 340000910438000 | authenticated | Authenticated | declined stolen_card hard
4000009105980000 5200009105930000 340000910594000 | authenticated | Authenticated | declined suspected_fraud fraud
4000009108200000 5200009108250000 340000910829000 | authenticated | Authenticated | declined incorrect_cvc soft
4000009109110000 5200009109160000 340000910914000 | authenticated | Authenticated | declined issuer_unavailable network
4000009106550000 5200009106500000 340000910650000 | authenticated | Authenticated | declined authentication_required soft
4000009190110000 5200009190160000 340000919014000 | authenticated | Authenticated | failed processing_error provider_error
4000009190290000 5200009190240000 340000919028000 | authenticated | Authenticated | processing
4000009190370000 5200009190320000 340000919033000 | authenticated | Authenticated | processing
4000009190860000 5200009190810000 340000919085000 | authenticated | Authenticated | processing
4000009190450000 5200009190400000 340000919047000 | authenticated | Authenticated | processing
4000009190520000 5200009190570000 340000919052000 | authenticated | Authenticated | captured
4000009190600000 5200009190650000 340000919066000 | authenticated | Authenticated | captured
4000009190780000 5200009190730000 340000919071000 | authenticated | Authenticated | captured
4000009105180072 5200009105130072 340000910519072 | challenge authenticated | Authenticated | declined insufficient_funds soft
4000009190240070 5200009190290070 340000919021070 | challenge authenticated | Authenticated | processing`

const published = `
4242424242424242 4000056655665556 4111111111111111 4012888888881881 | authenticated | Authenticated | captured
5555555555554444 2223003122003222 5200828282828210 5105105105105100 | authenticated | Authenticated | captured
378282246310005 371449635398431 | authenticated | Authenticated | captured
4000000000003220 4000002760003184 4000002500003155 | challenge authenticated | Authenticated | captured
4000000000003063 4000003800000446 | challenge authenticated | Authenticated | captured
4000008400001629 | challenge authenticated | Authenticated | declined card_declined soft
4000008260003178 | challenge authenticated | Authenticated | declined insufficient_funds soft
4000000000003055 4000000000002701 4000000000009235 | authenticated | Authenticated | captured
4000008400001280 4000000000003097 | unavailable | absent | captured
4000000000002719 | attempted | Attempted | captured
4000000000002925 | failed | Failed | declined authentication_failed soft
4000000000002313 | unavailable | absent | captured
4000000000002537 5200000000002185 | rejected | Failed | declined authentication_rejected fraud
4000000000001091 | challenge authenticated | Authenticated | captured
4000000000001109 | challenge failed | Failed | declined authentication_failed soft
4000000000001117 | challenge unavailable | absent | captured
4000000000001125 4000000000002354 4000000000002446 | unavailable | absent | captured
4100000000000100 5100000000000107 4200000000000091 | authenticated | Authenticated | captured
4100000000005000 4200000000000042 | challenge authenticated | Authenticated | captured
4200000000000109 4000200000000008 | attempted | Attempted | captured
4000300000000006 | failed | Failed | declined authentication_failed soft
4100000000000001 | authenticated | Authenticated | processing
4000000000000002 | authenticated | Authenticated | declined card_declined soft
4000000000009995 | authenticated | Authenticated | declined insufficient_funds soft
4000000000009987 | authenticated | Authenticated | declined lost_card hard
4000000000009979 | authenticated | Authenticated | declined stolen_card hard
4000000000000069 | authenticated | Authenticated | declined expired_card hard
4000000000000127 4000000000000101 | authenticated | Authenticated | declined incorrect_cvc soft
4000000000000119 | authenticated | Authenticated | failed processing_error provider_error
4000000000006975 | authenticated | Authenticated | declined card_velocity_exceeded soft
4100000000000019 4000000000004954 | authenticated | Authenticated | declined fraudulent fraud`

const rows = (scenarios + published)
  .trim()
  .split('\n')
  .flatMap((row) => {
    const [numbers, states, authentication, outcome] = row.split(' | ') as [string, ...string[]]
    return numbers.split(' ').map((number): [string, string, string, string] => {
      return [number, states!, authentication!, outcome!]
    })
  })

test.each(rows)('%s: %s, %s, %s', async (number, states, authentication, outcome) => {
  const told = await payAndTell(service, clock, number, challengeOf(number))
  expect(told.states).toBe(states)
  expectAuthentication(told, number, authentication)
  expectOutcome(told, outcome)
  // A bank's no is final: the acquirer is not asked. What was lost before it arrived is not known to it either.
  expect(told.asked).toBe(authentication !== 'Failed' && !/^.{8}903/.test(number))
})

/** Those that wait for something else than a shopper. */
function challengeOf(number: string) {
  if (/073$/.test(number)) return lateResult({ service, clock, delay_ms: 30_000 }, openChallenge)
  if (/076$/.test(number)) return lateResult({ service, clock, delay_ms: 20_000 }, runChallenge)
  return undefined
}

function expectAuthentication({ payment }: PaidCourse, number: string, authentication: string): void {
  if (authentication === 'absent') {
    expect(payment).not.toHaveProperty('authentication')
    return
  }
  const mastercard = /^[25]/.test(number)
  const eci = {
    Authenticated: mastercard ? '02' : '05',
    Attempted: mastercard ? '01' : '06',
    Failed: null,
  }[authentication]
  const liability_shifted = authentication !== 'Failed'
  expect(payment.authentication).toEqual({ outcome: authentication, liability_shifted, eci })
}

function expectOutcome({ result, payment, session, event }: PaidCourse, outcome: string): void {
  const [status, code, category] = outcome.split(' ') as [string, string, string]
  const decline = code ? { code, category, reason: expect.any(String) } : null
  expect(result).toMatchObject({ status, decline })
  const captured = status === 'captured'
  const money = captured ? 'captured' : null
  const waits = status === 'processing'
  expect(payment).toMatchObject({
    status: waits ? 'pending' : status,
    capture_state: money,
    decline,
    executed_at: captured ? expect.any(String) : null,
    amount_verified: true,
  })
  expect(session).toMatchObject({
    status: captured ? 'succeeded' : waits ? 'processing' : category === 'fraud' ? 'declined' : 'requires_payment',
    settlement: waits ? 'awaiting_reconciliation' : null,
    last_decline: decline,
    payment_id: payment.id,
    attempt_count: 1,
    hold: null,
  })
  if (waits) expect(event).toBeNull()
  else
    expect(event).toMatchObject({
      type: `payment.${status}`,
      sequence: 1,
      data: { status, decline },
    })
}

describe('refused when the card is typed, no attempt spent', () => {
  test.each([
    ['4242424242424241', /check its digits/i],
    ['6011111111111117', /Visa, Mastercard or Amex/],
    ['3566002020360505', /Visa, Mastercard or Amex/],
    ['36227206271667', /Visa, Mastercard or Amex/],
    ['3056930009020004', /Visa, Mastercard or Amex/],
    ['6200000000000005', /Visa, Mastercard or Amex/],
    ['4539578763621486', /test card/],
    ['3000100811111072', /check its digits/i],
    ['4000009100030000', /check its digits/i],
    ['', /card number/],
    ['4242', /12 to 19 digits/],
    ['4242x42424242424', /digits/],
  ])('%s', async (number, words) => {
    const { client } = service
    const session = await client.open()
    const answer = await client.referenceCard(session, { number, exp_month: 12, exp_year: 2031, cvc: '123' })
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toMatch(words)
    if (number) expect(wordsOf(answer)).not.toContain(number)
    expect((await client.readSession(session.id)).body.attempt_count).toBe(0)
  })
})

test.each(['4000009900040000', '5200009900090000', '340000990005000'])(
  '%s: the 3-D Secure provider is down, no attempt spent',
  async (number) => {
    const { client } = service
    const session = await client.open()
    for (let tries = 0; tries < 4; tries++) {
      const answer = await client.present(session, number)
      expect(refusal(answer)).toBe('503 three_ds_provider_unavailable')
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    expect((await client.state(session)).body).toMatchObject({
      session: { attempt_count: 0, attempts_left: 3, status: 'requires_payment' },
      attempt: null,
    })
    expect((await client.present(session)).body.attempt.number).toBe(1)
    expect((await client.confirm(session)).body.status).toBe('captured')
  },
)
