// What operators see of a clock that is wrong: readiness, metrics, the log, doctor, and commands that move money.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient, purchase, refusal } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { hold } from '../support/holding.ts'
import { answer, ripper, serve } from '../support/programs.ts'
import { type Service, startService, until } from '../support/service.ts'
import { skewDatabase } from '../support/skewed-database.ts'

const master_key = randomBytes(32)
let service: Service
let setDatabase: Awaited<ReturnType<typeof skewDatabase>>
let env: Record<string, string>

beforeAll(async () => {
  const database = await freshDatabase()
  service = await startService({ database, master_key })
  setDatabase = await skewDatabase(service.sql)
  env = {
    RIPPER_DATABASE_URL: database.url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
    RIPPER_PORT: '0',
    RIPPER_DRAIN_SECONDS: '0',
  }
})
afterAll(async () => {
  await service.close()
  await service.database.drop()
})

async function read(url: string) {
  const answered = await fetch(url)
  return `${answered.status} ${await answered.text()}`
}

const reads = (url: string, words: string) =>
  until(
    () => read(url),
    (text) => text === words,
  )

test('a service is not ready, says why, and goes on by itself', async () => {
  await setDatabase(45)
  const running = await serve({ env })
  const { base_url } = running.said
  const [ready, metrics] = [`${base_url}/readyz`, `${base_url}/metrics`]
  expect(await read(ready)).toMatch(
    /^503 not ready: the clock of this process is 4[45] s behind the database's \(2 s are allowed\)\. No job runs .* NTP\.\n$/,
  )
  const skew = /^ripper_clock_skew_seconds -4[45](\.\d+)?$/m
  expect(await read(metrics)).toMatch(skew)
  expect(await read(metrics)).toMatch(/^ripper_ready 0$/m)

  const doctor = await ripper(['doctor', '--json', '--base-url', base_url!], { env })
  const { checks } = JSON.parse(doctor.stdout)
  const about = (name: string) => checks.find((each: { name: string }) => each.name === name) as { found: string }
  expect(doctor.status).toBe(1)
  expect(about('Readiness')).toMatchObject({ status: 'problem' })
  expect(about('Readiness').found).toMatch(/behind the database's \(2 s are allowed\)/)
  expect(about("Database's clock")).toMatchObject({ status: 'problem' })

  await setDatabase(0)
  await reads(ready, '200 ready\n')
  // Their text is made once a second.
  await until(
    () => read(metrics),
    (text) => /^ripper_ready 1$/m.test(text),
  )
  const { status, stdout } = await running.stop()
  expect(status).toBe(0)
  expect(stdout.match(/the clock is wrong: no job runs and nothing is delivered/g)).toHaveLength(1)
}, 60_000)

test('a service whose clock is off by minutes changes nothing, and reads', async () => {
  await setDatabase(300)
  const running = await serve({ env })
  const { secret_key, client } = service.account
  const here = openClient({ base_url: running.said.base_url!, secret_key })
  const key = randomBytes(8).toString('hex')
  const refused = await here.create(purchase, key)
  expect(refusal(refused)).toBe('503 store_unavailable')
  expect(refused.headers.get('retry-after')).toBe('2')
  const { payment_id } = await hold(service.account)
  expect(refusal(await here.decideHold('capture', payment_id))).toBe('503 store_unavailable')
  expect((await here.readPayment(payment_id)).body).toMatchObject({ status: 'held' })

  await setDatabase(0)
  await reads(`${running.said.base_url}/readyz`, '200 ready\n')
  // The very request is done now, for the first time.
  const made = await here.create(purchase, key)
  expect(made.headers.get('rip-idempotent-replayed')).toBe('false')
  expect((await client.readSession(made.body.id)).status).toBe(200)
  await running.stop()
}, 60_000)

test('a clock that is shifted on purpose is right', async () => {
  await setDatabase(0)
  const shifted = { ...env, RIPPER_CLOCK_OFFSET_SECONDS: String(6 * 86_400) }
  const running = await serve({ env: shifted })
  expect(await read(`${running.said.base_url}/readyz`)).toBe('200 ready\n')
  const { stdout } = await running.stop()
  expect(stdout).not.toContain('the clock is wrong')
  await service.sql`truncate service_clock`
}, 60_000)

describe('commands', () => {
  const typed = (args: string[]) => ripper(args, { env })
  const refused = /this machine's clock is (45|46) s ahead of the database's\. .* NTP\. Nothing was done\.\n$/

  test.each([
    ['hold', 'capture', 'ID'],
    ['hold', 'void', 'ID'],
    ['reconcile', 'resolve', 'ID', '--as', 'approved', '--reason', 'seen'],
    ['orphan', 'reverse', '--held-back'],
    ['orphan', 'release'],
  ])('%s %s moves money, and is refused', async (...args) => {
    const { payment_id } = await hold(service.account)
    await setDatabase(-45)
    const { status, stderr } = await typed(args.map((arg) => (arg === 'ID' ? payment_id : arg)))
    expect(stderr).toMatch(refused)
    expect(status).toBe(1)
    expect((await service.client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
  })

  test('what only shows goes on, and a brake is pulled with a warning', async () => {
    const { payment_id } = await hold(service.account)
    await setDatabase(-45)
    expect(await answer(['hold', 'show', payment_id], { env })).toMatchObject({ status: 'held' })
    const { status, stderr } = await typed(['orphan', 'brake', '--reason', 'restored'])
    expect([status, stderr]).toEqual([0, expect.stringContaining('Then pull the brake again.')])
  })

  test('goes on once the clock is right', async () => {
    const { payment_id } = await hold(service.account)
    await setDatabase(0)
    expect(await answer(['hold', 'capture', payment_id], { env })).toMatchObject({
      status: 'captured',
    })
  })
})
