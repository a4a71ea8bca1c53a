// A person's word for what an acquirer never answered: whichever door it comes through, it leaves the same rows.

import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { type OperationKind, Unanswered } from '../../src/acquirers/acquirer.ts'
import { type Resolution, resolutions } from '../../src/payments/acquirer-operations/resolve.ts'
import { hold, openUnverified, runJob } from '../support/holding.ts'
import { newMember } from '../support/person.ts'
import { ripper } from '../support/programs.ts'
import { drivenClock, driving } from '../support/service.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const minute_ms = 60_000
const master_key = randomBytes(32)
const clock = drivenClock()
/** The acquirer answers no capture, void, reversal or refund. */
let is_silent = false
const service = await useService({
  master_key,
  clock,
  wrapSimulator: (simulator) => {
    const unlessSilent =
      <Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) =>
      async (asked: Asked) => {
        if (is_silent) throw new Unanswered('silence')
        return ask(asked)
      }
    const { capture, void: release, reverse, refund } = simulator
    return {
      ...simulator,
      capture: unlessSilent(capture),
      void: unlessSilent(release),
      reverse: unlessSilent(reverse),
      refund: unlessSilent(refund),
    }
  },
})
const { account, sql } = service
const { client, merchant_id } = account
const env = settingsOf(service, master_key)
// Commands have the real clock.
const keepTime = () => clock.advance(Date.now() - clock.now().getTime())
await keepTime()
const owner = await newMember(service, { role: 'owner' })

beforeEach(async () => {
  is_silent = false
  await keepTime()
})

async function loseCharge(number: string): Promise<string> {
  const session = await openUnverified(account)
  await client.present(session, number)
  return (await driving(clock, client.confirm(session))).body.payment_id
}

async function loseDecision(verb: 'capture' | 'void'): Promise<string> {
  const { payment_id } = await hold(account)
  is_silent = true
  await client.decideHold(verb, payment_id)
  return payment_id
}

/** The charge was not found, so it is being reversed, and nobody answers the reversal. */
async function loseReversal(): Promise<string> {
  const payment_id = await loseCharge('4000009190370000')
  is_silent = true
  for (const seconds of [5, 35, 6]) {
    await clock.advance(seconds * 1_000)
    await runJob(service, 'reconcile')
  }
  return payment_id
}

async function loseRefund(): Promise<string> {
  const { payment_id } = (await client.pay('4242424242424242')).body
  is_silent = true
  await client.refund(payment_id, { amount: 1200 })
  return payment_id
}

type Waiting = {
  kind: OperationKind
  lose(): Promise<string>
  /** What a person may say of it; true where the acquirer may hold money that no payment stands behind, if the person is wrong. */
  may: Partial<Record<Resolution, boolean>>
}

const waiting: Record<string, Waiting> = {
  charge: {
    kind: 'authorise',
    lose: () => loseCharge('4000009190450000'),
    may: { approved: false, declined: true, failed: true },
  },
  'charge that is being reversed': { kind: 'authorise', lose: loseReversal, may: { failed: true } },
  reversal: { kind: 'reverse', lose: loseReversal, may: { approved: true } },
  capture: { kind: 'capture', lose: () => loseDecision('capture'), may: { approved: false, refused: false } },
  void: { kind: 'void', lose: () => loseDecision('void'), may: { approved: true, refused: false } },
  refund: { kind: 'refund', lose: loseRefund, may: { approved: false, refused: false } },
}

type Said = { payment_id: string; operation_id: string; outcome: Resolution; id: string | null }
const reason = 'seen in the portal'

/** An API key settles nothing that an acquirer has not answered: there is no such route. */
const doors: Record<string, (said: Said) => Promise<boolean>> = {
  async 'command line'({ payment_id, operation_id, outcome, id }) {
    const named = ['--operation', operation_id, ...(id ? ['--transaction', id] : [])]
    const asked = ['reconcile', 'resolve', payment_id, '--as', outcome, '--reason', reason]
    return (await ripper([...asked, ...named], { env })).status === 0
  },
  async dashboard({ operation_id, outcome, id }) {
    const path = `/${merchant_id}/operations/${operation_id}/resolve`
    const body = { outcome, reason, acquirer_transaction_id: id }
    return (await owner.post(path, body)).status === 204
  },
}

let minted = 0

/** Everything that a person's word left, without what differs from payment to payment and who said it. */
async function left(what: string, outcome: Resolution, door: string) {
  const { kind, lose } = waiting[what]!
  const payment_id = await lose()
  is_silent = false
  // Otherwise it might still arrive.
  const sent_at = new Date(Date.now() - 10 * minute_ms)
  await sql`update acquirer_operations set last_sent_at = ${sent_at} where payment_id = ${payment_id}`
  const [operation] = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = ${kind}
      and state in ('sent', 'unknown', 'reversing', 'accepted')`
  const { operation_id } = operation!
  minted += 1
  const id = what === 'charge' && outcome === 'approved' ? `acq_${minted}` : null
  const is_taken = await doors[door]!({ payment_id, operation_id, outcome, id })
  const rows = {
    payments: await sql`
      select status, capture_state, decline, refunded_amount, acquirer_transaction_id is null as is_nameless
      from payments where payment_id = ${payment_id}`,
    sessions: await sql`
      select s.status, s.settlement from sessions s join payments p using (merchant_id, session_id)
      where p.payment_id = ${payment_id}`,
    operations: await sql`
      select kind, sequence, state, answer::jsonb - 'acquirer_transaction_id' as answer, waits_for_person_since
      from acquirer_operations where payment_id = ${payment_id} order by sent_at, kind, sequence`,
    orphans: await sql`
      select acquirer, state, amount, currency, tries, next_try_at is null as is_idle, acquirer_transaction_id is null as is_nameless,
        left_by, released_by from orphan_authorisations where payment_id = ${payment_id}`,
    holds: await sql`select status, decided_by from holds where payment_id = ${payment_id}`,
    refunds: await sql`select status from refunds where payment_id = ${payment_id}`,
    events: await sql`select type, sequence from events where payment_id = ${payment_id} order by sequence`,
    journal: await sql`
      select change, detail ->> 'resolved_as' as resolved_as, detail ->> 'reason' as reason from journal
      where session_id = (select session_id from payments where payment_id = ${payment_id})
      order by change`,
  }
  return { is_taken, ...rows }
}

const rows = Object.keys(waiting).flatMap((what) => resolutions.map((outcome) => ({ what, outcome })))

test.each(rows)('$what, $outcome: the same through every door', async ({ what, outcome }) => {
  const [first, ...others] = Object.keys(doors)
  const expected = await left(what, outcome, first!)
  for (const door of others) expect(await left(what, outcome, door)).toEqual(expected)
  const is_wrong_perhaps = waiting[what]!.may[outcome]
  expect(expected.is_taken).toBe(is_wrong_perhaps !== undefined)
  expect(expected.orphans).toHaveLength(is_wrong_perhaps ? 1 : 0)
  const by_person = expected.operations.filter(({ answer }) => answer?.by_person)
  expect(by_person).toHaveLength(expected.is_taken ? 1 : 0)
})
