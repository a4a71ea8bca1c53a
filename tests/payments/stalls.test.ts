// A process that stands still while others go on, and sends or records afterwards what they have seen to meanwhile.

import { afterEach, describe, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { refusal } from '../support/client.ts'
import { booksOf, eventsOf, hold } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { driving, until } from '../support/service.ts'
import { type Fault, faults, gate, minute_ms, second_ms, useStage } from '../support/settling.ts'

const stage = await useStage(undefined, { lock_limit: 'none' })
const { clock, acquirer, service, other, proxy, account, elsewhere, settle, run } = stage
const { client } = account
const there = elsewhere(account).client

afterEach(async () => {
  acquirer.calm()
  proxy.thaw()
  await settle()
  await run('reverse_orphans')
  await expectBooksAgree(service)
})

/** A card that no bank has to be asked about, which is quicker. */
const quick = '4000009000030000'

const opened = async () => {
  const session = await client.open()
  await client.present(session, quick)
  return session
}

const sendings = (verb: string) => acquirer.calls.filter((call) => call.verb === verb).length
const logged = (message: RegExp) => [...service.log, ...other.log].filter((line) => message.test(line.message))

describe('a process that stands still between the intent to charge and the call', () => {
  test.each([
    ['six seconds, while nobody looks', 6 * second_ms, false],
    ['a minute, while the other process looks', minute_ms, true],
    ['twenty minutes', 20 * minute_ms, true],
  ])('for %s sends nothing', async (_, still_ms, is_looked_for) => {
    const session = await opened()
    const before = sendings('authorise')
    proxy.freezeAt('charge.begun')
    const confirming = client.confirm(session)
    await until(async () => proxy.isFrozen(), Boolean)
    await clock.advance(still_ms)
    if (is_looked_for) {
      await settle([other])
      expect((await there.confirm(session)).body).toMatchObject({ status: 'failed' })
    }
    proxy.thaw()
    const { body } = await driving(clock, confirming)
    expect(body).toMatchObject({ status: 'failed', decline: { category: 'provider_error' } })
    expect(sendings('authorise')).toBe(before)
    expect(await booksOf(service, body.payment_id)).toMatchObject(is_looked_for ? { authorised_at: null } : {})
    expect(await eventsOf(service, body.payment_id)).toMatchObject([{ type: 'payment.failed' }])
    // The shopper tries again, and pays once.
    await client.present(session, quick)
    const again = await driving(clock, client.confirm(session))
    expect(again.body).toMatchObject({ status: 'captured' })
  })

  test('sends nothing after it waited for a row for so long', async () => {
    const session = await opened()
    const before = sendings('authorise')
    const { confirming } = await other.sql.begin(async (tx) => {
      await tx`select 1 from sessions where session_id = ${session.id} for update`
      const waiting = client.confirm(session)
      await until(() => countLockWaits(other.sql), Boolean)
      await clock.advance(6 * second_ms)
      return { confirming: waiting }
    })
    expect((await driving(clock, confirming)).body).toMatchObject({ status: 'failed' })
    expect(sendings('authorise')).toBe(before)
  })

  test('is sent where it stood still for a moment only', async () => {
    const session = await opened()
    proxy.freezeAt('charge.begun')
    const confirming = client.confirm(session)
    await until(async () => proxy.isFrozen(), Boolean)
    await clock.advance(4 * second_ms)
    proxy.thaw()
    expect((await driving(clock, confirming)).body).toMatchObject({ status: 'captured' })
  })
})

describe('a process that stands still until a session has ended', () => {
  test.each(['confirm', 'authenticate'] as const)('refuses to %s', async (verb) => {
    const session = await opened()
    const reference = await client.reference(session, quick)
    const before = sendings('authorise')
    proxy.freezeAt(session.id)
    const acting = verb === 'confirm' ? client.confirm(session) : client.authenticate(session, reference)
    await until(async () => proxy.isFrozen(), Boolean)
    await clock.advance(31 * minute_ms)
    proxy.thaw()
    expect(refusal(await driving(clock, acting))).toBe('409 session_expired')
    expect(sendings('authorise')).toBe(before)
  })
})

describe('a charge that arrives after it was taken back', () => {
  /** Confirms a session whose charge is under way for so long that it is taken back. `arrive` lets it arrive. */
  async function takenBack() {
    const session = await opened()
    const { fault, reached, open: arrive } = gate('request')
    acquirer.meet('authorise', fault)
    const confirming = client.confirm(session)
    await reached
    await clock.advance(20 * second_ms)
    const { body } = await confirming
    expect(body).toMatchObject({ status: 'processing' })
    await settle()
    expect((await client.confirm(session)).body).toMatchObject({ status: 'failed' })
    const { payment_id } = body as { payment_id: string }
    const arrival = async () => {
      const before = logged(/late answer/).length
      arrive()
      await until(
        async () => logged(/late answer/).length,
        (count) => count > before,
      )
    }
    return { payment_id, arrival }
  }

  test('is failed there, where a reversal fences its reference', async () => {
    const { payment_id, arrival } = await takenBack()
    await arrival()
    expect(await booksOf(service, payment_id)).toMatchObject({ authorised_at: null })
  })

  test('is taken back again, where it does not', async () => {
    // This reversal leaves no fence.
    const unknown: Fault = async () => ({
      result: 'refused',
      reason: 'No such authorisation',
      decline_code: null,
      authorisation_known: false,
    })
    acquirer.meet('reverse', unknown)
    const { payment_id, arrival } = await takenBack()
    const before = logged(/contradicts/).length
    await arrival()
    expect(logged(/contradicts/).slice(before)).toMatchObject([
      { level: 'error', fields: { result: 'approved', recorded: 'failed' } },
    ])
    const [row] = await service.sql`
      select state, next_try_at from orphan_authorisations where payment_id = ${payment_id}`
    expect(row).toMatchObject({ state: 'found', next_try_at: expect.any(Date) })
    await run('reverse_orphans')
    expect(await booksOf(service, payment_id)).toMatchObject({ reversed_at: expect.any(Date) })
  })
})

describe('a process whose clock is days ahead, and which dies', () => {
  test('leaves nothing that is looked for days later', async () => {
    const session = await opened()
    acquirer.meet('authorise', faults.lost_after)
    const { body } = await driving(clock, client.confirm(session))
    const days = `6 days`
    // As it wrote it, before it died.
    await service.sql`
      update acquirer_operations set state = 'sent', sent_at = sent_at + ${days}::interval,
        last_sent_at = last_sent_at + ${days}::interval, answer_by = answer_by + ${days}::interval,
        next_check_at = answer_by + ${days}::interval
      where payment_id = ${body.payment_id}`
    await service.sql`
      update sessions set settlement = null, answer_by = answer_by + ${days}::interval
      where session_id = ${session.id}`
    const since = clock.now().getTime()
    await run('reconcile', [other])
    await settle([other])
    expect(clock.now().getTime() - since).toBeLessThan(minute_ms)
    expect((await client.confirm(session)).body).toMatchObject({ status: 'captured' })
  })
})

describe('an approval of another amount', () => {
  test.each([
    ['less', { amount: 4199 }],
    ['another currency', { currency: 'EUR' }],
  ])('%s: failed, and taken back', async (_, other_money) => {
    const session = await opened()
    acquirer.meet('authorise', async (act) => ({ ...((await act()) as object), ...other_money }))
    const { body } = await driving(clock, client.confirm(session))
    expect(body).toMatchObject({ status: 'failed', decline: { code: 'processing_error' } })
    const [row] = await service.sql`
      select state, amount, currency from orphan_authorisations where payment_id = ${body.payment_id}`
    expect(row).toMatchObject({ state: 'found', amount: 4200, currency: 'GBP', ...other_money })
    // Its own books have the amount that was asked for: what the acquirer says counts.
    await service.sql`update orphan_authorisations set amount = 4200, currency = 'GBP'`
    await run('reverse_orphans')
    expect(await booksOf(service, body.payment_id)).toMatchObject({ reversed_at: expect.any(Date) })
  })

  test('that was merely reserved is captured at once', async () => {
    const session = await opened()
    acquirer.meet('authorise', async (act) => ({ ...((await act()) as object), captured: false }))
    const { body } = await driving(clock, client.confirm(session))
    expect(body).toMatchObject({ status: 'held' })
    await run('apply_hold_rules')
    expect((await client.readPayment(body.payment_id)).body).toMatchObject({ status: 'captured' })
  })
})

describe('a capture that its sender gives up after another has sent it again', () => {
  test('is not refused: what it may have brought about is looked for', async () => {
    const { payment_id } = await hold(account, quick)
    const { fault, reached, open } = gate('request')
    // The sender stands still before it finds out that it has no connection; the other's answer is lost.
    const not_sent: Fault = async (_, call) => {
      await fault(async () => {}, call)
      return faults.not_sent()
    }
    acquirer.meet('capture', not_sent, faults.lost_after)
    const capturing = client.decideHold('capture', payment_id)
    await reached
    await clock.advance(31 * second_ms)
    // It is noted as unanswered, not found twice, and sent again.
    for (const seconds of [0, 6, 6, 6]) {
      await clock.advance(seconds * second_ms)
      await run('reconcile', [other])
    }
    expect(sendings('capture')).toBeGreaterThan(1)
    open()
    await driving(clock, capturing)
    const [operation] = await service.sql`
      select state from acquirer_operations where payment_id = ${payment_id} and kind = 'capture'`
    expect(operation!.state).not.toBe('not_sent')
    await settle()
    const { body } = await client.readPayment(payment_id)
    expect(body).toMatchObject({ status: 'captured' })
  })
})
