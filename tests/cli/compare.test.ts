// `ripper reconcile compare|findings|close`, as a user types it, on a service whose acquirer has one charge otherwise.

import { userInfo } from 'node:os'
import { beforeEach, describe, expect, test } from 'vitest'
import { useOperated } from '../support/operated.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'

const { service, env } = await useOperated()
const { sql, client, context } = service

const answer = (...args: string[]) => answerOf(['reconcile', ...args], { env })
const run = (...args: string[]) => ripper(['reconcile', ...args], { env })

/** A captured charge of an hour ago. Returns its reference. */
async function payAnHourAgo(): Promise<string> {
  const { body } = await client.pay()
  const [{ operation_id }] = await sql<[{ operation_id: string }]>`
    select operation_id from acquirer_operations where payment_id = ${body.payment_id}`
  const at = new Date(Date.now() - 3_600_000)
  const reference = context.ids.operation(at)
  await sql`update acquirer_operations set operation_id = ${reference} where operation_id = ${operation_id}`
  await sql`update simulator.ledger set reference = ${reference}, authorisation_reference = ${reference},
    authorised_at = ${at}, captured_at = ${at} where reference = ${operation_id}`
  return reference
}

beforeEach(async () => {
  await sql`truncate acquirer_findings, acquirer_comparisons`
})

const spoil = (reference: string) =>
  sql`update simulator.ledger set amount = amount - 100 where reference = ${reference}`
const mend = (reference: string) =>
  sql`update simulator.ledger set amount = amount + 100 where reference = ${reference}`

describe('compare', () => {
  test('of books that agree says so, and again whenever it is asked', async () => {
    await payAnHourAgo()
    for (let time = 0; time < 2; time++) {
      const compared = { acquirer: 'simulator', found: [], failure: null }
      const document = await answer('compare')
      expect(document).toMatchObject({
        compared: [{ ...compared, ours: expect.any(Number) }],
        being_compared: [],
        open_findings: 0,
      })
      expect(document.compared[0].ours).toBeGreaterThan(0)
    }
    expect((await run('compare')).stdout).toMatch(
      /^simulator: \d+ of ours and \d+ of theirs compared\. New findings: 0\.\nNo finding is open\.\n$/,
    )
  })

  test('finds what differs: it is listed, in doctor, and closed by a person', async () => {
    const reference = await payAnHourAgo()
    await spoil(reference)
    const { status, stdout } = await run('compare')
    expect([status, stdout]).toEqual([1, expect.stringMatching(/New findings: 1\.\nOpen findings: 1\./)])
    const finding = {
      acquirer: 'simulator',
      reference,
      kind: 'amount_differs',
      mode: 'test',
      theirs: { state: 'captured', amount: expect.any(Number), currency: expect.any(String) },
      cleared_at: null,
      resolved_at: null,
      resolved_by: null,
      resolved_reason: null,
    }
    const listed = await answer('findings')
    expect(listed).toMatchObject({ findings: [finding], has_more: false })
    expect(listed.comparisons).toMatchObject([{ acquirer: 'simulator', failure: null }])
    const [{ ours, theirs }] = listed.findings
    expect(ours.amount - theirs.amount).toBe(100)
    const people = await run('findings')
    for (const line of people.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    expect(people.stdout).toMatch(new RegExp(`simulator +${reference} +captured .* another amount\n`))
    expect(people.stdout).toMatch(/\n {4}of pay_\w+, merchant m_\w+\n/)
    expect(people.stdout).toMatch(/\nCompared with simulator up to \S+Z\.\n$/)
    const doctor = await ripper(['doctor', '--json'], { env })
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ name: 'Comparison', status: 'problem' }),
    )
    const none = '0'.repeat(32)
    const closed = await run('close', reference, none, '--reason', 'paid back')
    expect([closed.status, closed.stdout]).toEqual([1, `Closed: 1.\n${none}  has no open finding\n`])
    expect(await answer('findings')).toMatchObject({ findings: [] })
    expect((await run('findings')).stdout).toMatch(/^No finding is open\.\n/)
    const { username } = userInfo()
    expect(await answer('findings', '--all')).toMatchObject({
      findings: [{ reference, resolved_by: username, resolved_reason: 'paid back' }],
    })
    expect((await run('findings', '--all')).stdout).toContain(`closed by ${username}: paid back\n`)
    await mend(reference)
  }, 60_000)

  test('finds what was refunded in the portal, with both sums', async () => {
    const reference = await payAnHourAgo()
    await sql`update simulator.ledger set refunded_amount = 100 where reference = ${reference}`
    expect((await run('compare')).status).toBe(1)
    const { findings } = await answer('findings')
    expect(findings).toMatchObject([
      { reference, kind: 'amount_differs', ours: { refunded_amount: 0 }, theirs: { refunded_amount: 100 } },
    ])
    const { stdout } = await run('findings')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    expect(stdout).toMatch(/ another sum of refunds\n/)
    expect(stdout).toMatch(/\n {4}refunded here: GBP\s0\.00, there: GBP\s1\.00\n/)
    await sql`update simulator.ledger set refunded_amount = 0 where reference = ${reference}`
  }, 60_000)

  test('says where another process is at it, or it cannot be done', async () => {
    await sql`insert into acquirer_comparisons (acquirer, due_at, lease_until)
      values ('simulator', ${new Date()}, ${new Date(Date.now() + 60_000)})`
    const { status, stdout } = await run('compare')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^Another process is comparing simulator at this moment\.\n/)
  })
})

test('nobody is compared who is no acquirer', async () => {
  const { status, stderr } = await run('compare', '--acquirer', 'bank')
  expect([status, stderr]).toEqual([2, expect.stringContaining('--acquirer must be one of simulator')])
})
