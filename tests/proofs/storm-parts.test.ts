// Parts of a storm by themselves: the door before its bank, and what is held against an asynchronous failover.

import { describe, expect, test } from 'vitest'
import { openChance } from '../../proofs/simulate/chance.ts'
import { type Arrived, openWire } from '../../proofs/storm/bank.ts'
import { faultsOfUnknown, idsIn, touchedBy } from '../../proofs/storm/check-lossy.ts'
import type { DiaryCall } from '../../proofs/storm/diary.ts'
import { type Disturbance, strike } from '../../proofs/storm/disturb.ts'
import { openPair } from '../../proofs/storm/pair.ts'
import type { Acquirer, SettleRequest } from '../../src/acquirers/acquirer.ts'
import { connect } from '../../src/database/driver/driver.ts'

describe('the door before the bank', () => {
  const request = { reference: 'a'.repeat(32) } as SettleRequest

  function open() {
    const happened: string[] = []
    const wire = openWire(({ arrived, kind }: Arrived) => happened.push(`${arrived} of ${kind}`))
    const answer = (kind: string) => async () => {
      happened.push(kind)
      return { result: 'approved' as const, acquirer_transaction_id: 'tx' }
    }
    const bank = wire.around({
      capture: answer('capture'),
      void: answer('void'),
    } as never as Acquirer)
    return { happened, wire, bank }
  }

  /** Whether it has come to its end, once all that can go on has. */
  async function hasEnded(call: Promise<unknown>): Promise<boolean> {
    let ended = false
    void call.then(() => {
      ended = true
    })
    await new Promise((turn) => setImmediate(turn))
    return ended
  }

  test('is open until it is ordered to wait', async () => {
    const { happened, bank } = open()
    await bank.capture(request)
    expect(happened).toEqual(['capture'])
  })

  test('stops a call before it goes out, once, until it may go on', async () => {
    const { happened, wire, bank } = open()
    wire.hear({ order: 'wait', where: 'intent', kinds: ['capture'] })
    await bank.void(request)
    const call = bank.capture(request)
    expect(await hasEnded(call)).toBe(false)
    expect(happened).toEqual(['void', 'intent of capture'])
    await bank.capture(request)
    wire.hear({ order: 'go' })
    await call
    expect(happened).toEqual(['void', 'intent of capture', 'capture', 'capture'])
  })

  test('stops an answer before any process gets it', async () => {
    const { happened, wire, bank } = open()
    wire.hear({ order: 'wait', where: 'answer', kinds: ['capture'] })
    const call = bank.capture(request)
    expect(await hasEnded(call)).toBe(false)
    expect(happened).toEqual(['capture', 'answer of capture'])
    wire.hear({ order: 'go' })
    await call
  })

  test('waits for no process any more after it was let through', async () => {
    const { happened, wire, bank } = open()
    wire.hear({ order: 'wait', where: 'intent', kinds: ['capture'] })
    wire.hear({ order: 'go' })
    await bank.capture(request)
    expect(happened).toEqual(['capture'])
  })
})

describe('an asynchronous failover', () => {
  const failed_over = { lag_ms: 10_000, promoted_ms: 12_000, lagged_at: new Date(0) }
  const id = (name: string, number: number) => `${name}_${String(number).repeat(24)}`
  const headers = {}

  function read(number: number, begin_ms: number, end_ms: number): DiaryCall {
    const asked = {
      method: 'GET' as const,
      path: `/v1/checkout/sessions/${id('cs', number)}`,
      headers,
    }
    const body = { payment_id: id('pay', number) }
    const said = { status: 200, text: JSON.stringify(body), body, replayed: false }
    return { client: 'a', asked, said, begin_ms, end_ms }
  }

  function created(number: number, begin_ms: number, end_ms: number): DiaryCall {
    const key = `storm 1.${number}`
    const asked = { method: 'POST' as const, path: '/v1/checkout/sessions', headers: { 'rip-idempotency-key': key } }
    const body = { id: id('cs', number) }
    const said = { status: 201, text: JSON.stringify(body), body, replayed: false }
    return { client: 'a', asked, said, begin_ms, end_ms }
  }

  test('touches what was answered in its time, with all of its session', () => {
    const calls = [created(1, 1_000, 1_100), read(1, 10_500, 10_600), read(2, 1_000, 8_000)]
    const touched = touchedBy({ calls }, [], failed_over)
    expect([...touched].toSorted()).toEqual([id('cs', 1), id('pay', 1), 'storm 1.1'])
  })

  test.each([
    ['ended just before', 8_900, 8_990, 0],
    ['ended in the second before', 8_900, 9_010, 2],
    ['began before its end', 11_990, 15_000, 2],
    ['began after', 12_010, 15_000, 0],
  ])('of a call that %s', (_name, begin_ms, end_ms, count) => {
    expect(touchedBy({ calls: [read(1, begin_ms, end_ms)] }, [], failed_over).size).toBe(count)
  })

  test('touches what a receiver got in its time', () => {
    const calls = [read(1, 1_000, 1_100), read(2, 1_000, 1_100)]
    const key = `evt:${id('pay', 2)}#payment.captured#we_1`
    const touched = touchedBy({ calls }, [{ key, at_ms: 11_000 }], failed_over)
    expect([...touched].toSorted()).toEqual([id('cs', 2), id('pay', 2)])
  })

  test('may not reverse unknown authorisations, nor leave them open', () => {
    const one = { authorised_at: new Date(0), is_taken_back: false, is_held_back: false }
    const unknown = [
      { ...one, reference: 'held', is_held_back: true },
      { ...one, reference: 'reversed', is_taken_back: true },
      { ...one, reference: 'found' },
    ]
    expect(faultsOfUnknown(unknown)).toEqual([
      "the bank's reversed, of which the rows are gone, was reversed",
      "the bank's found is not held back",
    ])
  })

  test('is excused by ids alone', () => {
    const text = `the key storm 2.13/4 capture ${id('pay', 3)} of ${id('cs', 4)}: ${'ab'.repeat(16)}`
    expect(idsIn(text)).toEqual(['storm 2.13/4', id('pay', 3), id('cs', 4), 'ab'.repeat(16)])
    expect(idsIn('12 deliveries wait')).toEqual([])
  })
})

test.each([
  ['may not be killed', 'synchronous', true],
  ['may be killed', 'asynchronous', false],
])(
  'a server that its standby no longer follows %s where commits are %s',
  async (_may, _how, is_synchronous) => {
    const pair = await openPair(is_synchronous)
    const sql = connect(pair.url, { connections_max: 1 })
    try {
      expect(pair.victim()).not.toBeNull()
      await sql`select 1`
      pair.lag()
      expect(pair.victim() === null).toBe(is_synchronous)
      const field = { ...pair, chance: openChance('1'), until_ms: 0 } as never
      // Nothing of it starts again.
      for (const what of ['freeze the database', 'freeze a backend'] as const) {
        const thaw = strike(field, what)
        expect(thaw).not.toBeNull()
        await thaw
      }
      const killing: Disturbance[] = is_synchronous ? ['kill the database', 'kill a backend'] : []
      for (const what of killing) expect(strike(field, what)).toBeNull()
      await pair.failOver()
      expect(pair.victim()).not.toBeNull()
    } finally {
      await sql.end({ timeout: 0 })
      await pair.close()
    }
  },
  60_000,
)
