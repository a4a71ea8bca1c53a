// A process that was not given the master key which another has made current: it refuses nothing for good, and begins no job.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { openKeyWatch } from '../../src/database/stores/key-watch.ts'
import { checkSealingKeys } from '../../src/database/stores/sealing-keys.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { openClient, purchase, refusal } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { startService } from '../support/service.ts'
import { quiet } from '../support/world.ts'

const random = { bytes: randomBytes }
const [old_key, new_key] = [randomBytes(32), randomBytes(32)]
const database = await freshDatabase()
const { sql, close } = await database.open()
const stale_keyring = openKeyring([old_key], random)
const new_keyring = openKeyring([new_key, old_key], random)
await checkSealingKeys(sql, stale_keyring, new Date(0))
const keys = openKeyWatch({ sql, keyring: stale_keyring, log: quiet })
const stale = await startService({ database, master_keys: [old_key], keys })
const young = await startService({ database, master_keys: [new_key, old_key] })
const { secret_key } = stale.account
const [atStale, atYoung] = [stale, young].map(({ base_url }) => openClient({ base_url, secret_key }))

afterAll(async () => {
  await stale.close()
  await young.close()
  await close()
  await database.drop()
})

const ready = async () => {
  const answer = await fetch(`${stale.base_url}/readyz`)
  return `${answer.status} ${await answer.text()}`
}

test('what it cannot judge is answered 503, the rest as ever', async () => {
  await keys.look()
  expect(await ready()).toBe('200 ready\n')
  const before = await atStale!.create(purchase, 'before')
  expect(before.status).toBe(201)

  await checkSealingKeys(sql, new_keyring, new Date())
  const made = await atYoung!.create(purchase, 'shop-order-1')
  expect(made.status).toBe(201)
  // It has not heard of the key yet: a repeat makes it look.
  const repeat = await atStale!.create(purchase, 'shop-order-1')
  expect(refusal(repeat)).toBe('503 store_unavailable')
  expect(repeat.headers.get('retry-after')).toBe('2')

  expect(await ready()).toBe(
    `503 not ready: this process lacks the master key ${new_keyring.current_key_id}, which another one has made current. Give it the same keys, and restart it\n`,
  )
  expect(refusal(await atStale!.state(made.body))).toBe('503 store_unavailable')
  expect((await atYoung!.state(made.body)).status).toBe(200)
  // What it can judge: its own sessions, a repeat of its own, a create that is new.
  expect((await atStale!.state(before.body)).status).toBe(200)
  const again = await atStale!.create(purchase, 'before')
  expect([again.status, again.body.id]).toEqual([201, before.body.id])
  expect((await atStale!.create(purchase, 'after')).status).toBe(201)
  expect((await atYoung!.create(purchase, 'shop-order-1')).body.id).toBe(made.body.id)
  expect(refusal(await atYoung!.create({ ...purchase, amount: 1 }, 'shop-order-1'))).toBe('409 idempotency_key_reused')
})

test('jobs and deliveries wait until it has the key', async () => {
  const gone_on: string[] = []
  const right = { isRight: () => true, untilRight: async () => new AbortController().signal }
  const trust = keys.within(right)
  keys.note(null)
  const before = await trust.untilRight(new AbortController().signal)
  expect([trust.isRight(), before.aborted]).toEqual([true, false])
  keys.note(new_keyring.current_key_id)
  expect([trust.isRight(), before.aborted]).toEqual([false, true])
  const waiting = trust.untilRight(new AbortController().signal).then(({ aborted }) => {
    gone_on.push(aborted ? 'aborted' : 'right')
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(gone_on).toEqual([])
  keys.note(stale_keyring.current_key_id)
  await waiting
  expect(gone_on).toEqual(['right'])
})
