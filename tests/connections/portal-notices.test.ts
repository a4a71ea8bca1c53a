// What people, banks and time do at a vendor without us, and what its notices make of it here: each act at each vendor, in each state
// of the payment. Days have passed since the charge, so that neither the sweep nor the comparison looks at it any more.

import { afterEach, describe, expect, test } from 'vitest'
import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { quick } from '../support/fault-table.ts'
import { eventsOf, findingsOf, openUnverified } from '../support/holding.ts'
import { day_ms } from '../support/settling.ts'
import { useVendorStage, type VendorStage } from '../support/vendor-stage.ts'
import { type VendorName, vendor_names } from '../support/vendors.ts'

const stages = Object.fromEntries(
  await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const)),
) as Record<VendorName, VendorStage>

const amount = 4200

afterEach(() => {
  for (const { vendor } of Object.values(stages)) {
    expect(vendor.wrong).toEqual([])
    vendor.wrong.length = 0
  }
})

type State = 'captured' | 'held' | 'refunded'
type Payment = { payment_id: string; session_id: string; reference: string }

/** All that belongs to it has come to rest, and nobody looks at it any more. */
async function make(stage: VendorStage, state: State): Promise<Payment> {
  const { clock, account, other } = stage
  const { client } = account
  const session = state === 'held' ? await openUnverified(account) : await client.open()
  await client.present(session, quick)
  await client.confirm(session)
  await clock.advance(30_000)
  await stage.rest(true)
  const [row] = await other.sql<{ payment_id: string; operation_id: string }[]>`
    select payment_id, operation_id from acquirer_operations join payments using (merchant_id, payment_id)
    where session_id = ${session.id} and kind = 'authorise'`
  const { payment_id, operation_id: reference } = row!
  if (state === 'refunded') {
    expect((await client.refund(payment_id, { amount: 1200 })).status).toBeLessThan(300)
    await clock.advance(30_000)
    await stage.rest(true)
  }
  expect((await client.readPayment(payment_id)).body).toMatchObject({
    status: state === 'held' ? 'held' : 'captured',
  })
  await clock.advance(4 * day_ms)
  return { payment_id, session_id: session.id, reference }
}

/** What the vendor posts of an act is followed until it is clear, and nothing else happens here. */
async function follow(stage: VendorStage): Promise<void> {
  for (let look = 0; look < 3; look++) {
    await stage.clock.advance(25_000)
    await stage.post()
    await stage.run('handle_notices')
  }
}

type Act = {
  portal?:
    | 'capture'
    | 'void'
    | 'refund'
    | 'expire'
    | 'reverse'
    | 'undoCapture'
    | 'dispute'
    | 'adjust'
    | 'reject'
    | 'postpone'
  of?: number
}

/** `outcome` is that of the row of the notice that says most. */
type End = {
  outcome: string
  status: string
  found?: [kind: string, of: 'charge' | 'refund'][]
  line?: RegExp
}

const is_asked_elsewhere = /^the acquirer has done what nobody asked for here/
const differs = /^the acquirer has a charge otherwise than we do/
const ended = (status: string): End => ({ outcome: 'settled', status })
const part_taken = /captured a part that was not asked for/
const takenInPart: End = {
  outcome: 'settled',
  status: 'captured',
  found: [['amount_differs', 'charge']],
  line: part_taken,
}
const differing = (kinds: string[], status = 'captured'): End => ({
  outcome: 'contradicts',
  status,
  line: differs,
  found: kinds.map((kind) => [kind, 'charge']),
})
const told = (kind: string, of: 'charge' | 'refund', status = 'captured'): End => ({
  outcome: 'contradicts',
  status,
  line: is_asked_elsewhere,
  found: [[kind, of]],
})
const takenBack: End = {
  outcome: 'contradicts',
  status: 'captured',
  found: [['declined_there', 'charge']],
  line: /^the acquirer has taken back what it approved$/,
}
const disputed = (status = 'captured'): End => ({
  outcome: 'disputed',
  status,
  line: /^a payment is disputed$/,
})

/** A text says why there is no such row. */
const rows: [State, Act, Record<VendorName, End | string>][] = [
  [
    'held',
    { portal: 'adjust', of: 5000 },
    {
      checkout: 'it increments no final authorisation, which is what requests ask for',
      stripe: 'it increments only what asked for that beforehand',
      adyen: {
        outcome: 'contradicts',
        status: 'held',
        found: [['amount_differs', 'charge']],
        line: /^the acquirer carried out another amount/,
      },
    },
  ],
  [
    'captured',
    { portal: 'reject' },
    {
      checkout: 'tells of no review by a person',
      stripe: 'tells of what comes of a review alone',
      adyen: { outcome: 'no_outcome', status: 'captured' },
    },
  ],
  [
    'captured',
    { portal: 'postpone' },
    {
      checkout: 'refunds nothing before it is captured',
      stripe: 'refunds nothing before it is captured',
      adyen: { outcome: 'no_outcome', status: 'captured' },
    },
  ],
  ['held', { portal: 'void' }, { checkout: ended('voided'), stripe: ended('voided'), adyen: ended('voided') }],
  ['held', { portal: 'expire' }, { checkout: ended('voided'), stripe: ended('voided'), adyen: ended('voided') }],
  [
    'held',
    { portal: 'capture', of: amount },
    { checkout: ended('captured'), stripe: ended('captured'), adyen: ended('captured') },
  ],
  [
    'held',
    { portal: 'capture', of: 1200 },
    {
      checkout: takenInPart,
      // A later notice has it compare the charge, which ends the finding: the books agree by then.
      stripe: { outcome: 'settled', status: 'captured', line: part_taken },
      adyen: takenInPart,
    },
  ],
  [
    'held',
    { portal: 'void', of: 1200 },
    {
      checkout: differing(['amount_differs'], 'held'),
      stripe: 'it cancels an intent as a whole',
      adyen: told('amount_differs', 'charge', 'held'),
    },
  ],
  [
    'held',
    { portal: 'expire', of: 1200 },
    {
      checkout: 'what is left of an authorisation lapses as a whole',
      stripe: 'what is left of an authorisation lapses as a whole',
      adyen: told('amount_differs', 'charge', 'held'),
    },
  ],
  [
    'held',
    { portal: 'reverse', of: 1200 },
    {
      checkout: 'of what is reserved its portal offers a void',
      stripe: 'of what is reserved its portal offers a cancel',
      adyen: told('amount_differs', 'charge', 'held'),
    },
  ],
  [
    'held',
    { portal: 'reverse' },
    {
      checkout: 'of what is reserved its portal offers a void',
      stripe: 'of what is reserved its portal offers a cancel',
      adyen: ended('voided'),
    },
  ],
  [
    'captured',
    { portal: 'refund', of: 1000 },
    {
      checkout: differing(['amount_differs']),
      stripe: differing(['amount_differs']),
      adyen: told('reversed_there', 'refund'),
    },
  ],
  [
    'captured',
    { portal: 'refund', of: amount },
    {
      checkout: differing(['amount_differs']),
      stripe: differing(['amount_differs']),
      adyen: told('reversed_there', 'refund'),
    },
  ],
  [
    'captured',
    { portal: 'undoCapture' },
    {
      checkout: takenBack,
      stripe: 'it takes the money with the answer, for good',
      adyen: takenBack,
    },
  ],
  [
    'refunded',
    { portal: 'refund', of: 1000 },
    {
      checkout: differing(['amount_differs']),
      stripe: differing(['amount_differs']),
      adyen: told('reversed_there', 'refund'),
    },
  ],
  [
    'captured',
    { portal: 'void' },
    {
      checkout: 'it voids nothing that it has captured',
      stripe: 'it cancels nothing that it has captured',
      adyen: told('voided_there', 'charge'),
    },
  ],
  [
    'captured',
    { portal: 'void', of: 1200 },
    {
      checkout: 'it voids nothing that it has captured',
      stripe: 'it cancels nothing that it has captured',
      adyen: told('amount_differs', 'charge'),
    },
  ],
  [
    'captured',
    { portal: 'expire' },
    {
      checkout: 'nothing lapses there that it has captured',
      stripe: 'nothing lapses there that it has captured',
      adyen: told('expired_there', 'charge'),
    },
  ],
  [
    'captured',
    { portal: 'reverse' },
    {
      checkout: 'of what is captured its portal offers a refund',
      stripe: 'of what is captured its portal offers a refund',
      adyen: told('reversed_there', 'charge'),
    },
  ],
  [
    'captured',
    { portal: 'reverse', of: 1200 },
    {
      checkout: 'of what is captured its portal offers a refund',
      stripe: 'of what is captured its portal offers a refund',
      adyen: told('amount_differs', 'charge'),
    },
  ],
  [
    'refunded',
    { portal: 'reverse' },
    {
      checkout: 'of what is captured its portal offers a refund',
      stripe: 'of what is captured its portal offers a refund',
      adyen: told('reversed_there', 'charge'),
    },
  ],
  ['captured', { portal: 'dispute' }, { checkout: disputed(), stripe: disputed(), adyen: disputed() }],
]

describe.each(vendor_names)('%s', (name) => {
  const stage = stages[name]
  const { vendor, service, other, account, clock } = stage
  // Nothing of an earlier row lapses in a later one.
  vendor.habits.life_ms = 999 * day_ms
  const { sql } = other
  const { client } = account
  const own = rows.flatMap(([state, act, ends]) => {
    const end = ends[name]
    return typeof end === 'string' ? [] : [{ state, act, end, title: titleOf(state, act) }]
  })
  const lines = () => [...service.log, ...other.log]

  async function outcomesSince(at: Date) {
    const found = await sql<{ outcome: string | null }[]>`
      select outcome from acquirer_notices where received_at >= ${at} order by received_at`
    return found.map(({ outcome }) => outcome ?? 'later')
  }

  test.each(own)('$title', async ({ state, act: { portal, of }, end }) => {
    const { payment_id, reference } = await make(stage, state)
    const at = clock.now()
    const before = lines().length
    if (portal === 'dispute') await send(stage, vendor.dispute(reference))
    else (vendor.portal as never as Portal)[portal!](reference, of)
    await follow(stage)

    const outcomes = await outcomesSince(at)
    expect(outcomes).toContain(end.outcome)
    expect(outcomes.filter((each) => each !== end.outcome && each !== 'nothing_new')).toEqual([])
    expect((await client.readPayment(payment_id)).body.status).toBe(end.status)
    const found = await findingsOf(other, payment_id)
    const named = found.map((finding) => [finding.kind, finding.reference === reference ? 'charge' : 'refund'])
    expect(named.toSorted()).toEqual((end.found ?? []).toSorted())
    const fresh = lines().slice(before)
    const told = fresh.filter(({ fields }) => (fields as { payment_id?: string }).payment_id === payment_id)
    if (end.line) expect(told.map(({ message }) => message).join('\n')).toMatch(end.line)
    if (end.outcome === 'settled') {
      const events = await eventsOf(other, payment_id)
      expect(events.map(({ type }) => type)).toEqual(['payment.held', `payment.${end.status}`])
    }

    // The same again, and later looks, change nothing more.
    await stage.post('again')
    await stage.run('handle_notices')
    expect(await findingsOf(other, payment_id)).toHaveLength(found.length)
    expect((await client.readPayment(payment_id)).body.status).toBe(end.status)
  })
})

type Portal = Record<NonNullable<Act['portal']>, (reference: string, of?: number) => void>

function titleOf(state: State, { portal, of }: Act): string {
  return `${portal}${of === undefined ? '' : ` of ${of}`} of a ${state} payment`
}

async function send({ other, connection_id }: VendorStage, posts: NoticePost[]) {
  for (const { headers, body } of posts) {
    const url = `${other.base_url}/acquirers/${connection_id}/notices`
    const { status } = await fetch(url, { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
}
