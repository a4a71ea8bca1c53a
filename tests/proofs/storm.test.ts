// A short storm: processes and database are killed and frozen under load, and nothing is lost. `npm run storm` is the long form.

import { expect, test } from 'vitest'
import type { Checked } from '../../proofs/storm/check.ts'
import type { DiaryCall } from '../../proofs/storm/diary.ts'
import { runStorm } from '../../proofs/storm/storm.ts'
import { judgeWhole } from '../../proofs/storm/verdict.ts'

const asked_session = /^\/v1\/checkout\/sessions\/cs_\w+/

/** What is done to the facts, in this order, and what the check has to say of each. */
const tampered: [string, (checked: Checked) => Promise<unknown> | unknown, RegExp][] = [
  [
    'a capture that the acquirer does not know',
    ({ opened }) => opened.database.sql`
      update simulator.ledger set captured_at = null where reference = (
        select reference from simulator.ledger where captured_at is not null
          and voided_at is null limit 1)`,
    /captured: the acquirer took the money: false/,
  ],
  [
    'an event that nobody heard of',
    ({ market }) => market.receivers.find(({ events }) => events.size > 0)!.events.clear(),
    /never came/,
  ],
  [
    'an event that is gone',
    ({ opened }) => opened.database.sql`
      delete from events where event_id = (select event_id from events where type like 'payment.%' limit 1)`,
    /: events /,
  ],
  [
    'an answer under a key that nothing stands behind',
    ({ diary }) => {
      const acked = diary.promises.find(({ kind, text }) => kind !== 'decision' && text !== null)!
      diary.promises.push({ ...acked, key: 'of a session that is lost' })
    },
    /of a session that is lost was acknowledged, and has 0 sessions/,
  ],
  [
    'a result that is another one now',
    ({ diary }) => {
      for (const result of diary.results.values()) result.status = 'other'
    },
    /was answered other, and is/,
  ],
  [
    'an answer that is older than one before it',
    ({ diary }) => {
      // Of some sessions every read was refused, or lost.
      const readOf = ({ asked: { path } }: DiaryCall) =>
        diary.calls.find(({ asked, said }) => asked.path === asked_session.exec(path)?.[0] && said.status === 200)
      const paid = diary.calls.findLast(
        (call) =>
          call.asked.path.endsWith('/confirm') && call.said.body?.status === 'captured' && readOf(call) !== undefined,
      )!
      const made = readOf(paid)!
      const body = { ...made.said.body, status: 'requires_payment' }
      const times = { begin_ms: paid.end_ms + 1, end_ms: paid.end_ms + 2 }
      diary.calls.push({ ...made, ...times, said: { ...made.said, body } })
    },
    /the history of cs_\w+ has no order/,
  ],
  [
    'money that was taken for what had been declined',
    ({ opened }) => opened.database.sql`
      update simulator.ledger set authorised_at = requested_at + interval '1 hour'
      where reference = (
        select reference from simulator.ledger where kind = 'authorise' and result = 'declined' limit 1)`,
    /declined here, authorised there, and later/,
  ],
  [
    'a payment that was charged twice',
    ({ opened }) => opened.database.sql`
      with one as (
        select reference from simulator.ledger where kind = 'authorise' and captured_at is not null
          and voided_at is null and reversed_at is null limit 1
      ), operation as (
        insert into acquirer_operations select (json_populate_record(o,
          json_build_object('operation_id', md5(o.operation_id), 'sequence', 9))).*
        from acquirer_operations o join one on one.reference = o.operation_id)
      insert into simulator.ledger
      select (json_populate_record(l, json_build_object('reference', md5(l.reference)))).*
      from simulator.ledger l join one using (reference)`,
    /a shopper who was charged twice/,
  ],
  [
    'a line of the journal that was changed',
    ({ opened }) => opened.database.sql`
      update journal set actor = 'nobody' where change = 'session.created'`,
    /line_changed/,
  ],
]

test('a short storm loses nothing, and its check finds what is done to the facts', async () => {
  const found: string[] = []
  const report = await runStorm({
    seed: 'short',
    seconds: 8,
    shoppers: 4,
    hurries: true,
    tell: () => {},
    async lookAt(checked) {
      for (const [name, tamper, words] of tampered) {
        await tamper(checked)
        const { faults } = await judgeWhole(checked)
        if (faults.some((fault) => words.test(fault))) found.push(name)
      }
    },
  })
  expect(report.faults, `kept in ${report.folder}`).toEqual([])
  expect(report.disturbances.size).toBeGreaterThan(0)
  expect(report.stopped).not.toEqual([])
  expect(report.histories.contended).toBeGreaterThan(0)
  expect(report.answers.acked).toBeGreaterThan(20)
  expect(report.deliveries.accepted).toBeGreaterThan(0)
  expect(found).toEqual(tampered.map(([name]) => name))
}, 120_000)
