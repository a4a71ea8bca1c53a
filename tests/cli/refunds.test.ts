// `ripper refund …`, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { Json } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { client } = service
const env = settingsOf(service, master_key)
const answer = (...args: string[]): Promise<Json> => answerOf(['refund', ...args], { env })
const run = (...args: string[]) => ripper(['refund', ...args], { env })
const paid = async (): Promise<string> => (await client.pay()).body.payment_id

test('create gives back a part, then the rest, and list shows both', async () => {
  const payment_id = await paid()
  const part = await answer('create', payment_id, '--amount', '1200', '--reason', 'a broken cup')
  expect(part).toEqual((await client.readRefund(part.id)).body)
  expect(part).toMatchObject({ amount: 1200, status: 'succeeded', reason: 'a broken cup' })

  const rest = await run('create', payment_id)
  expect(rest.status).toBe(0)
  expect(rest.stdout).toMatch(/^The acquirer has refunded GBP 30\.00\.\n\nrefund_id +ref_[0-9a-f]{24}\n/)
  const { merchant_id } = service.account
  expect(await answer('list', payment_id)).toEqual({
    merchant_id,
    payment_id,
    status: 'captured',
    amount: 4200,
    currency: 'GBP',
    refunded_amount: 4200,
    left: 0,
    refunds: (await client.listRefunds(payment_id)).body.refunds,
  })
  const { stdout } = await run('list', payment_id)
  const lines = stdout.split('\n')
  expect(lines[0]).toMatch(/^refund +amount +status +made +settled +reason$/)
  expect(lines[1]).toMatch(/^ref_\w{24} +GBP 30\.00 +succeeded .*Z +–$/)
  expect(lines[2]).toMatch(/^ref_\w{24} +GBP 12\.00 +succeeded .*Z +a broken cup$/)
  expect(stdout).toMatch(/\n\nOf GBP 42\.00 captured, GBP 0\.00 is left to refund\.\n$/)

  const lines_of = await service.sql`
    select actor, detail from journal where subject = ${part.id} and change = 'refund.succeeded'`
  expect(lines_of).toMatchObject([{ actor: 'operator', detail: { by: userInfo().username } }])
})

test('one that the acquirer refuses ends with 1, and says why', async () => {
  const payment_id = await paid()
  const refused = await run('create', payment_id, '--amount', '1013')
  expect(refused.status).toBe(1)
  expect(refused.stdout).toMatch(/^The acquirer has not refunded GBP 10\.13\. It can be refunded again/)
  expect(refused.stdout).toMatch(/\nfailure +refund_refused: /)
  const listed = await run('list', payment_id)
  expect(listed.stdout).toMatch(/\n {4}refund_refused: The issuer refused the refund\n/)
  const json = await run('create', payment_id, '--amount', '1013', '--json')
  expect(json.status).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'failed' })
})

test('one that takes its time is pending', async () => {
  const pending = await run('create', await paid(), '--amount', '1017')
  expect([pending.status, pending.stdout]).toEqual([0, expect.stringContaining('keeps asking')])
})

test.each<[string[], number, string]>([
  [['create', '--amount', '4201'], 1, '42.00 GBP is left of the capture.'],
  [['create', '--amount', '0'], 2, '--amount must be'],
  [['create', '--reason', 'x'.repeat(256)], 2, '--reason must have at most 255 characters'],
])('%j', async ([verb, ...rest], status, words) => {
  const ended = await run(verb!, await paid(), ...rest)
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
})

test('what was not captured is not refunded, and what is no payment is not one', async () => {
  const { payment_id } = await hold(service.account)
  const refused = await run('create', payment_id)
  expect([refused.status, refused.stderr]).toEqual([
    1,
    'ripper refund create: The payment is held, so there is nothing to refund.\n',
  ])
  const { stdout } = await run('list', payment_id)
  expect(stdout).toContain('has no refund.\n\nThe payment is held')
  const unknown = await run('list', `pay_${'0'.repeat(24)}`)
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('no payment')])
  expect((await run('create', 'order-1001')).status).toBe(2)
})

describe('a person settles', () => {
  /** Refunds that nobody answered, and their references. */
  async function unanswered(count: number) {
    const payment_id = await paid()
    const ids: string[] = []
    for (let each = 0; each < count; each++) {
      ids.push((await client.refund(payment_id, { amount: 1017 })).body.id)
    }
    const rows = await service.sql<{ operation_id: string }[]>`
      update acquirer_operations set state = 'unknown', waits_for_person_since = now(), next_check_at = null,
        sent_at = sent_at - interval '4 days', last_sent_at = last_sent_at - interval '4 days', answer_by = sent_at
      where payment_id = ${payment_id} and kind = 'refund' returning operation_id`
    const references = rows.map(({ operation_id }) => operation_id).sort()
    return { payment_id, ids, references }
  }
  const refuse = (payment_id: string, ...args: string[]) => {
    const settling = ['resolve', payment_id, '--as', 'refused', '--reason', 'seen in the portal']
    return ripper(['reconcile', ...settling, ...args], { env })
  }
  const statusOf = async (id: string) => (await client.readRefund(id)).body.status

  test('a refund that nobody answered, by its reference', async () => {
    const { payment_id, ids, references } = await unanswered(1)
    const nameless = await refuse(payment_id)
    expect([nameless.status, nameless.stderr]).toEqual([
      ...[2, expect.stringContaining('--operation must name the operation')],
    ])
    expect(await statusOf(ids[0]!)).toBe('pending')
    const settled = await refuse(payment_id, '--operation', references[0]!)
    expect(settled.stdout).toMatch(
      /^The refund of GBP 10\.17 counts as refused\. It can be refunded again\. The service sends refund\.failed/,
    )
    expect((await client.readRefund(ids[0]!)).body).toMatchObject({
      status: 'failed',
      failure: { reason: 'seen in the portal' },
    })
  })

  test('no other refund than the one that was answered meanwhile', async () => {
    const { payment_id, ids, references } = await unanswered(2)
    await service.sql`
      update acquirer_operations set state = 'approved', answer = '{}', answered_at = now(), waits_for_person_since = null
      where operation_id = ${references[0]!}`
    await service.sql`
      update refunds set status = 'succeeded', settled_at = now() where refund_id = ${ids[0]!}`
    const late = await refuse(payment_id, '--operation', references[0]!)
    expect([late.status, late.stderr]).toEqual([
      1,
      `ripper reconcile resolve: The refund ${references[0]} was answered meanwhile: it is approved.\n`,
    ])
    const stranger = await refuse(payment_id, '--operation', '0'.repeat(32))
    expect([stranger.status, stranger.stderr]).toEqual([
      ...[2, expect.stringContaining('--operation names no operation of this payment')],
    ])
    expect((await refuse(payment_id)).status).toBe(2)
    expect(await statusOf(ids[1]!)).toBe('pending')
  })

  test('each by the command that list and show print', async () => {
    const { payment_id, references } = await unanswered(2)
    const { stdout: shown } = await ripper(['reconcile', 'show', payment_id], { env })
    const { stdout: listed } = await ripper(['reconcile', 'list', '--waiting'], { env })
    for (const reference of references) {
      const command = `ripper reconcile resolve ${payment_id} --operation ${reference}`
      expect(shown).toContain(`  ${command} --as approved|refused --reason TEXT\n`)
      expect(listed).toContain(`    ${command} \\\n      --as approved|refused --reason TEXT\n`)
    }
    expect(Math.max(...listed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  })
})

test('audit show tells of a payment with its refunds, and audit verify finds what somebody changed', async () => {
  const account = await service.newAccount()
  const { payment_id } = (await account.client.pay()).body
  const { body } = await account.client.refund(payment_id, { amount: 1200 })
  const shown = await ripper(['audit', 'show', payment_id], { env })
  expect(shown.stdout).toMatch(/\nref_\w{24} {2}refund succeeded GBP 12\.00\n/)
  expect(shown.stdout).toMatch(/refund begun .*\n.*refund succeeded /)
  const verify = () => ripper(['audit', 'verify', '--merchant', account.merchant_id], { env })
  expect((await verify()).status).toBe(0)
  await service.sql`update refunds set amount = 1100 where refund_id = ${body.id}`
  const found = await verify()
  expect(found.status).toBe(1)
  expect(found.stdout).toContain(`refund ${body.id} was changed: amount`)
})
