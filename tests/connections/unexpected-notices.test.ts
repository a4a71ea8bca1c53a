// What vendors tell of charges that are none of our payments': a second one of one request, one that our books have lost, other
// systems' of the same account. And a refusal that a notice tells of before the answer.

import { afterEach, describe, expect, test } from 'vitest'
import { forgetOldNotices, handleNotices } from '../../src/payments/notices/handle-notices.ts'
import { releaseOrphans } from '../../src/payments/orphans/orphan-decision-store.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { numberFor } from '../adapters/fakes/numbers.ts'
import { quick } from '../support/fault-table.ts'
import { findingsOf, openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, service, other, account, acquirer, connection_id } = stage
  const { client } = account
  const { sql } = other

  afterEach(async () => {
    expect(vendor.wrong).toEqual([])
    vendor.wrong.length = 0
    await sql`update orphan_brakes set released_at = pulled_at, released_by = 'test' where released_at is null`
  })

  async function pay(number = quick) {
    const session = await client.open()
    await client.present(session, number)
    await client.confirm(session)
    await clock.advance(30_000)
    await stage.rest(true)
    const [row] = await sql<{ payment_id: string; operation_id: string }[]>`
      select payment_id, operation_id from acquirer_operations join payments using (merchant_id, payment_id)
      where session_id = ${session.id} and kind = 'authorise'`
    return { payment_id: row!.payment_id, reference: row!.operation_id }
  }

  const errors = () => [...service.log, ...other.log].filter(({ level }) => level === 'error').map((it) => it.message)
  const orphans = async () =>
    sql`select reference, payment_id, acquirer_transaction_id, state, held_back_at is not null as is_held_back
      from orphan_authorisations where acquirer = ${acquirer} order by found_at desc, reference`
  const outcomes = async (since: Date) => {
    const rows = await sql<{ outcome: string | null }[]>`
      select outcome from acquirer_notices where received_at >= ${since} order by outcome`
    return rows.map(({ outcome }) => outcome)
  }
  const ofReference = (reference: string) => vendor.charges().filter((charge) => charge.reference === reference)

  async function hear() {
    for (let look = 0; look < 4; look++) {
      await clock.advance(60_000)
      await stage.post()
      await stage.run('handle_notices')
    }
    await stage.run('sweep_orphans')
    await stage.run('handle_notices')
  }

  describe('a second charge of one request', () => {
    test('beside a captured payment goes back, and never that on which the payment stands', async () => {
      const { payment_id, reference } = await pay()
      const before = errors().length
      await clock.advance(1_000)
      const at = clock.now()
      vendor.repeat(reference)
      await hear()
      const [orphan] = await orphans()
      expect(orphan).toMatchObject({ payment_id })
      expect(orphan!.reference).not.toBe(reference)
      if (name === 'adyen') {
        // Nobody can ask Adyen whether the payment's own charge lives.
        expect(orphan).toMatchObject({ state: 'found', is_held_back: true })
        expect(await outcomes(at)).toEqual(['held_back'])
        expect(errors().slice(before)).toEqual([
          'the acquirer has two charges of one payment, and one waits for a person: ripper orphan list shows it',
        ])
        const which = { references: [orphan!.reference as string], acquirer }
        const by = { at: clock.now(), by: 'test', lines: [] }
        expect(await releaseOrphans(sql, which, by)).toHaveLength(1)
      } else {
        expect(errors().slice(before)).toEqual(['orphaned authorisation found, it will be reversed'])
      }
      await stage.rest(true)
      const [own, second] = ofReference(reference)
      expect(own).toMatchObject({ taken: 4200, refunded: 0 })
      expect(second!.taken - second!.refunded).toBe(0)
      expect((await orphans())[0]).toMatchObject({ state: 'reversed' })
      expect((await client.readPayment(payment_id)).body.status).toBe('captured')
      expect(await findingsOf(other, payment_id)).toEqual([])
    })

    test('is left alone where a person has given the payment a wrong id', async () => {
      const { payment_id, reference } = await pay()
      const known = (await orphans()).length
      await sql`
        update acquirer_operations set acquirer_transaction_id = 'pay_wrong', handle = null
        where operation_id = ${reference}`
      const at = clock.now()
      await stage.post('again')
      await sql`update acquirer_notices set received_at = ${at}, next_try_at = ${at}, handled_at = null
        where reference = ${reference} and about = 'authorise'`
      await hear()
      const found = (await orphans()).slice(0, (await orphans()).length - known)
      if (name === 'adyen') {
        expect(found).toMatchObject([{ payment_id, state: 'found', is_held_back: true }])
      } else expect(found).toEqual([])
      await clock.advance(60_000)
      await stage.run('reverse_orphans')
      await clock.advance(30_000)
      expect(ofReference(reference)).toMatchObject([{ taken: 4200, refunded: 0 }])
      await sql`delete from orphan_authorisations where payment_id = ${payment_id}`
    })
  })

  test('a charge that our books have lost is held back, with the brake', async () => {
    const { reference } = await pay()
    await clock.advance(1_000)
    const at = clock.now()
    const lost = service.context.ids.operation(at)
    const before = errors().length
    const known = (await orphans()).length
    vendor.repeat(reference, lost)
    await stage.post()
    await stage.run('handle_notices')
    // Where the acquirer has a list, the sweep finds it, and nothing is missed until then.
    const told = (await outcomes(at)).filter((each) => each !== 'nothing_new')
    expect(new Set(told)).toEqual(new Set([name === 'adyen' ? 'held_back' : 'unknown_here']))
    expect(await orphans()).toHaveLength(known + (name === 'adyen' ? 1 : 0))
    await hear()
    const [orphan] = await orphans()
    expect(orphan).toMatchObject({
      reference: lost,
      payment_id: null,
      state: 'found',
      is_held_back: true,
    })
    const brakes = await sql`select acquirer, pulled_by from orphan_brakes where released_at is null`
    expect(brakes).toEqual([{ acquirer: '*', pulled_by: 'service' }])
    expect(errors().slice(before)).toContainEqual(
      expect.stringContaining('authorisations that nothing is known of here wait for a person'),
    )
    await sql`delete from orphan_authorisations where reference = ${lost}`
  })

  test('a charge that our books have lost goes back, where the operator has chosen that', async () => {
    const { reference } = await pay()
    const lost = service.context.ids.operation(clock.now())
    vendor.repeat(reference, lost)
    const context = { ...other.context, unknown_authorisations: 'reverse' } as const
    for (let look = 0; look < 4; look++) {
      await clock.advance(60_000)
      await stage.post()
      await driving(clock, handleNotices(context))
    }
    await driving(clock, sweepOrphans(context))
    await stage.rest(true)
    const [charge] = ofReference(lost)
    expect(charge).toMatchObject({ reserved: 0, refunded: charge!.taken })
    const [orphan] = await sql`select state from orphan_authorisations where reference = ${lost}`
    expect(orphan).toEqual({ state: 'reversed' })
  })

  // The others are asked, whatever they tell.
  test.runIf(name === 'adyen')(
    'what a person does while the charge has no answer yet is followed once it has',
    async () => {
      const session = await openUnverified(account)
      await client.present(session, quick)
      const met = stage.meet({ request: /^POST (\/v72)?\/payments$/ }, 'lost_after')
      await driving(clock, client.confirm(session))
      await met
      stage.calm()
      const [charge] = await sql<{ operation_id: string; payment_id: string }[]>`
        select operation_id, payment_id from acquirer_operations join payments using (merchant_id, payment_id)
        where session_id = ${session.id}`
      const { operation_id: reference, payment_id } = charge!
      const before = vendor.notices().map(({ body }) => body)
      vendor.portal.void(reference)
      const acts = vendor.notices().filter(({ body }) => !before.includes(body))
      expect(acts).toHaveLength(1)
      for (const { headers, body } of acts) {
        const url = `${other.base_url}/acquirers/${connection_id}/notices`
        expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
      }
      await stage.run('handle_notices')
      // Only now is told what became of the charge.
      for (let look = 0; look < 8; look++) {
        await clock.advance(60_000)
        await stage.post()
        await stage.run('handle_notices')
      }
      expect((await client.readPayment(payment_id)).body.status).toBe('voided')
      await stage.rest(true)
    },
  )

  test("other systems' notices are taken and counted, and not kept", async () => {
    const { reference } = await pay()
    await stage.post()
    const [row] = await sql`select count(*)::int from acquirer_notices`
    // Of another time: nobody here can have made it.
    const theirs = '0123456789abcdef0123456789abcdef'
    vendor.repeat(reference, theirs, 'unmarked')
    const posts = await stage.post()
    expect(posts).toBeGreaterThan(0)
    await stage.run('handle_notices')
    expect(await sql`select count(*)::int from acquirer_notices`).toEqual([row])
    const counted = [...service.log, ...other.log].flatMap(({ message, fields }) =>
      message === 'notices that name nothing of ours are not kept' ? [fields] : [],
    )
    expect(counted).toEqual(Array.from({ length: posts }, () => ({ connection_id, connector: name, count: 1 })))
  })

  // The others are asked, so that no notice of others is kept at any time.
  test.runIf(name === 'adyen')(
    "other systems' notices are kept while a charge has no name, for a day at most",
    async () => {
      const { reference } = await pay()
      await stage.post()
      await stage.run('handle_notices')
      const met = stage.meet({ request: /^POST (\/v72)?\/payments$/ }, 'lost_before')
      const session = await client.open()
      await client.present(session, quick)
      await driving(clock, client.confirm(session))
      await met
      stage.calm()
      const count = async () => {
        const [row] = await sql<{ count: number }[]>`select count(*)::int from acquirer_notices`
        return row!.count
      }
      const before = await count()
      vendor.repeat(reference, '0123456789abcdef0123456789abcde0', 'unmarked')
      await stage.post()
      expect(await count()).toBeGreaterThan(before)
      await clock.advance(24 * 3_600_000)
      const kept = await count()
      vendor.repeat(reference, '0123456789abcdef0123456789abcde1', 'unmarked')
      await stage.post()
      expect(await count()).toBe(kept)
      await stage.run('handle_notices')
      await clock.advance(25 * 3_600_000)
      await forgetOldNotices(other.context)
      expect(await count()).toBeLessThanOrEqual(before)
      await stage.rest(true)
    },
  )

  test.each(['suspected_fraud', 'fraudulent'] as const)(
    'a refusal as %s closes the session, whether its notice or its answer comes first',
    async (behaviour) => {
      const ends: object[] = []
      for (const is_lost of [false, true]) {
        const session = await client.open()
        await client.present(session, numberFor(behaviour))
        if (is_lost) {
          const met = stage.meet({ request: /confirm$|^POST (\/v72)?\/payments$/ }, 'lost_after')
          await driving(clock, client.confirm(session))
          await met
          stage.calm()
          await stage.post()
          for (const job of ['handle_notices', 'reconcile']) await stage.run(job)
        } else await client.confirm(session)
        const { body } = await client.readSession(session.id)
        const { status, last_payment_error } = body
        ends.push({ status, last_payment_error })
        expect(status).toBe('declined')
      }
      expect(ends[1]).toEqual(ends[0])
    },
  )
})
