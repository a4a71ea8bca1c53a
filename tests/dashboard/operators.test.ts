// What operators decide at the dashboard for the whole installation: orphans, the brake, and findings.

import { expect, test } from 'vitest'
import { startWorker } from '../../src/service/cell-work.ts'
import type { Json } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
let looks = 0
const service = await useService({
  clock,
  examine: async () => {
    looks += 1
    return [{ name: 'Disk', status: 'warning', found: 'is full', to_do: 'Make room.' }]
  },
})
const { sql, account } = service
const operator = await newMember(service, { role: 'viewer', is_operator: true })
const owner = await newMember(service, { role: 'owner' })
const minute_ms = 60_000
const reference = (number: number) => number.toString(16).padStart(32, '0')

/** An authorisation that nothing here knows: held back, or due at once. */
async function orphan(number: number, is_held_back = true): Promise<void> {
  const [held_back_at, next_try_at] = is_held_back ? [clock.now(), null] : [null, clock.now()]
  await sql`
    insert into orphan_authorisations
      (acquirer, reference, operation_id, mode, amount, currency, found_at, held_back_at, next_try_at, tries, state)
    values ('simulator', ${reference(number)}, ${reference(number + 100)}, 'test', 4200, 'GBP', ${clock.now()},
      ${held_back_at}, ${next_try_at}, 0, 'found')`
}

const overview = async (): Promise<Json> => {
  const answer = await operator.get('/system/orphans')
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const lines = async (change: string) =>
  sql`select merchant_id, actor, detail from journal where change = ${change} order by entry_id`

test('is for operators alone: to an owner there is nothing', async () => {
  expect(refusalIn(await owner.get('/system/orphans'))).toBe('404 resource_not_found')
  for (const path of ['orphans/reverse', 'orphans/leave', 'brake/pull', 'brake/release']) {
    expect(refusalIn(await owner.post(`/system/${path}`, {}))).toBe('404 resource_not_found')
  }
  expect(refusalIn(await owner.post('/system/findings/close', {}))).toBe('404 resource_not_found')
})

test('wants more than a password once a merchant is live', async () => {
  const half = await newMember(service, { role: 'viewer', is_operator: true })
  const password = 'cobalt harbour 41'
  await half.post('/me/password', { password })
  await sql`delete from passkeys where user_id = ${half.user_id}`
  await half.post('/sign-out')
  await half.signInByPassword(half.email, password)
  expect((await half.get('/system/orphans')).status).toBe(200)
  await sql`update merchants set live = true where merchant_id = ${service.account.merchant_id}`
  const refusal = refusalIn(await half.get('/system/orphans'))
  await sql`update merchants set live = false where merchant_id = ${service.account.merchant_id}`
  expect(refusal).toBe('403 second_factor_required')
})

test('one is reversed, one is left, and each decision has its line', async () => {
  await orphan(1)
  await orphan(2)
  expect(await overview()).toMatchObject({ held_back: 2, due: 0, has_more: false })
  const reversed = await operator.post('/system/orphans/reverse', {
    references: [reference(1), reference(9)],
  })
  expect(reversed.body, reversed.text).toEqual({
    changed: 1,
    unchanged: [{ reference: reference(9), state: null }],
  })
  const left = { references: [reference(2)], reason: 'The shop has it' }
  expect((await operator.post('/system/orphans/leave', left)).body.changed).toBe(1)
  const { orphans, ...counts } = await overview()
  expect(counts).toMatchObject({ due: 1, held_back: 0 })
  expect(orphans).toMatchObject([{ reference: reference(1), state: 'due', released_by: operator.email, amount: 4200 }])
  expect(await lines('orphans.left')).toEqual([
    {
      merchant_id: 'm_installation',
      actor: `user ${operator.user_id}`,
      detail: { ...left, address: expect.any(String) },
    },
  ])
  expect(await lines('orphans.released')).toHaveLength(1)
})

test('the brake is pulled at once, and released when every acquirer was gone through', async () => {
  await orphan(3, false)
  const pulled = await operator.post('/system/brake/pull', { acquirer: null, reason: 'a backup' })
  expect(pulled.body, pulled.text).toEqual({ is_new: true, held_back: 1 })
  const [brake] = (await overview()).brakes
  expect(brake).toMatchObject({ pulled_by: operator.email, reason: 'a backup', released_at: null })
  const at_operations = await owner.get(`/${account.merchant_id}/operations?mode=test`)
  expect(at_operations.body.brake).toEqual({ is_pulled: true })
  const release = (anyway: boolean) => operator.post('/system/brake/release', { acquirer: null, anyway })
  const early = await release(false)
  expect(refusalIn(early)).toBe('400 invalid_request')
  expect((await overview()).brakes).toHaveLength(1)
  const { acquirers } = await overview()
  const swept_until = new Date(clock.now().getTime() + minute_ms)
  for (const acquirer of acquirers) {
    await sql`insert into orphan_sweeps values (${acquirer}, ${swept_until})`
  }
  expect((await release(false)).body).toEqual({ released: 1, held_back: 1 })
  expect((await overview()).brakes).toEqual([])
  await operator.post('/system/brake/pull', { acquirer: null, reason: 'again' })
  await clock.advance(2 * minute_ms)
  await operator.prove()
  await operator.post('/system/brake/pull', { acquirer: null, reason: 'later' })
  expect((await release(true)).body).toMatchObject({ released: 1 })
  const reasons = (await lines('brake.pulled')).map(({ detail }) => (detail as Json).reason)
  expect(reasons.toSorted()).toEqual(['a backup', 'again', 'later'])
  expect(await lines('brake.released')).toHaveLength(2)
})

test.each<[string, object]>([
  ['/system/brake/pull', { acquirer: 'nobody', reason: 'x' }],
  ['/system/brake/pull', { acquirer: null, reason: ' ' }],
  ['/system/brake/release', { acquirer: 'nobody', anyway: false }],
  ['/system/orphans/reverse', { references: [] }],
  ['/system/orphans/reverse', { references: ['x'] }],
  ['/system/orphans/leave', { references: [reference(1)] }],
  ['/system/findings/close', { references: ['x'], reason: '' }],
])('%s refuses %o', async (path, body) => {
  expect(refusalIn(await operator.post(path, body))).toBe('400 invalid_request')
})

test('a difference is closed by a person, with a reason', async () => {
  const theirs = { state: 'captured', amount: 100, currency: 'GBP' }
  await sql`
    insert into acquirer_findings
      (acquirer, reference, kind, mode, merchant_id, payment_id, ours, theirs, found_at, seen_at)
    values ('simulator', ${reference(5)}, 'amount_differs', 'test', ${account.merchant_id}, 'pay_1',
      ${{ ...theirs, amount: 200 } as never}, ${theirs as never}, ${clock.now()}, ${clock.now()})`
  const [finding] = (await overview()).findings
  expect(finding).toMatchObject({ reference: reference(5), kind: 'amount_differs', theirs })
  const asked = { references: [reference(5)], reason: 'A fee' }
  expect((await operator.post('/system/findings/close', asked)).body).toEqual({ closed: 1 })
  expect((await operator.post('/system/findings/close', asked)).body).toEqual({ closed: 0 })
  expect((await overview()).findings).toEqual([])
})

test('the system: version, database, jobs, and what the doctor found half a minute ago at most', async () => {
  expect(refusalIn(await owner.get('/system'))).toBe('404 resource_not_found')
  await Promise.all([1, 2, 3].map(() => operator.get('/system')))
  const runs = service.context.jobRuns
  const stopping = new AbortController()
  const ran = new Promise<void>((resolve) => {
    const job = {
      name: 'made_up',
      every_seconds: 5,
      run: async () => {
        if (stopping.signal.aborted) return 0
        stopping.abort()
        resolve()
        throw new Error('no database')
      },
    }
    const worker = startWorker(service.context as never, [job], undefined, runs)
    stopping.signal.addEventListener('abort', () => void worker.stop())
  })
  await ran
  await expect.poll(() => runs.list()).toHaveLength(1)
  const { body, text } = await operator.get('/system')
  expect(body, text).toMatchObject({
    clock: { offset_seconds: 0, fault: null },
    database: { server_version: expect.stringMatching(/^\d+/), migration: expect.any(Number) },
    jobs: [{ name: 'made_up', every_seconds: 5, count: null, failure: 'no database' }],
    check_up: { checks: [{ name: 'Disk', status: 'warning', to_do: 'Make room.' }] },
  })
  expect(looks).toBe(1)
})

test('each decision wants a fresh proof', async () => {
  await clock.advance(6 * minute_ms)
  const body = { acquirer: null, reason: 'x' }
  expect(refusalIn(await operator.post('/system/brake/pull', body))).toBe('403 proof_required')
  expect((await operator.get('/system/orphans')).status).toBe(200)
})
