// Signing secrets after their creation: rotation with an overlap, and wrapping anew under another master key.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { openSecret } from '../../src/webhooks/endpoint.ts'
import { rewrapSecrets } from '../../src/webhooks/endpoints/rewrap-secrets.ts'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { operatorOf } from '../support/webhook-events.ts'

const clock = drivenClock()
const old = randomBytes(32)
const service = await useService({ clock, master_key: old })

const url = 'https://shop.example/hooks'
const keyringOf = (...keys: Buffer[]) => openKeyring(keys, { bytes: randomBytes })

type Stored = {
  merchant_id: string
  endpoint_id: string
  sealed_secret: Buffer
  previous_sealed_secret: Buffer | null
  previous_secret_until: Date | null
}
const stored = async (id: string) => {
  const [row] = await service.sql<Stored[]>`
    select * from webhook_endpoints where endpoint_id = ${id}`
  return row!
}
/** Both secrets of an endpoint, opened. */
const secretsOf = async (id: string, keyring = service.context.keyring) => {
  const row = await stored(id)
  const { sealed_secret, previous_sealed_secret: before } = row
  return [openSecret(keyring, row, sealed_secret), before && openSecret(keyring, row, before)]
}
const create = async () => (await service.client.createEndpoint({ url })).body

test('a rotation gives a new secret and keeps the one before for a day', async () => {
  const { id, signing_secret } = await create()
  expect(await secretsOf(id)).toEqual([signing_secret, null])
  const first = await rotateSecret(service.context, id, operatorOf(service.context), clock.now())
  expect(first).toEqual({
    endpoint_id: id,
    signing_secret: expect.stringMatching(/^rip_whsec_[0-9a-f]{64}$/),
    previous_secret_until: new Date(clock.now().getTime() + 24 * 3600 * 1000),
  })
  expect(await secretsOf(id)).toEqual([first.signing_secret, signing_secret])
  expect((await stored(id)).previous_secret_until).toEqual(first.previous_secret_until)
  const second = await rotateSecret(service.context, id, operatorOf(service.context), clock.now())
  expect(await secretsOf(id)).toEqual([second.signing_secret, first.signing_secret])
})

test('of a deleted or unknown endpoint there is nothing to rotate', async () => {
  const { id, signing_secret } = await create()
  await service.client.deleteEndpoint(id)
  for (const each of [id, 'whep_x']) {
    const rotating = rotateSecret(service.context, each, operatorOf(service.context), clock.now())
    await expect(rotating).rejects.toMatchObject({ code: 'endpoint_not_found' })
  }
  expect(await secretsOf(id)).toEqual([signing_secret, null])
})

test('secrets are wrapped under a new master key, and open without the old one', async () => {
  const made = await create()
  const rotated = await create()
  const { signing_secret } = await rotateSecret(service.context, rotated.id, operatorOf(service.context), clock.now())
  const deleted = await create()
  await service.client.deleteEndpoint(deleted.id)

  const young = randomBytes(32)
  const context = { ...service.context, keyring: keyringOf(young, old) }
  const [all] = await service.sql`select count(*)::int as count from webhook_endpoints`
  expect(await rewrapSecrets(context)).toBe(all!.count)
  expect(await rewrapSecrets(context)).toBe(0)

  const after = keyringOf(young)
  expect(await secretsOf(made.id, after)).toEqual([made.signing_secret, null])
  expect(await secretsOf(rotated.id, after)).toEqual([signing_secret, rotated.signing_secret])
  expect(await secretsOf(deleted.id, after)).toEqual([deleted.signing_secret, null])
  await rewrapSecrets({ ...context, keyring: keyringOf(old, young) })
})

test('one that cannot be wrapped anew is logged, and holds up none of the others', async () => {
  const strange = await create()
  const fine = await create()
  const sealed = keyringOf(randomBytes(32)).seal(Buffer.from('x'), 'x')
  await service.sql`
    update webhook_endpoints set sealed_secret = ${sealed} where endpoint_id = ${strange.id}`
  const young = randomBytes(32)
  const lines: object[] = []
  const log = { ...service.context.world.log, error: (fields: object) => lines.push(fields) }
  const world = { ...service.context.world, log }
  await rewrapSecrets({ ...service.context, world, keyring: keyringOf(young, old) })
  expect(lines).toEqual([{ endpoint_id: strange.id, error: expect.any(String) }])
  expect((await stored(strange.id)).sealed_secret).toEqual(sealed)
  expect(await secretsOf(fine.id, keyringOf(young))).toEqual([fine.signing_secret, null])
})

test('more endpoints than fit into a batch', async () => {
  const { merchant_id } = await service.newAccount()
  const before = keyringOf(old)
  const identity = (id: string) => JSON.stringify(['webhook secret', merchant_id, id])
  const rows = Array.from({ length: 501 }, (_, index) => {
    const endpoint_id = `whep_${String(index).padStart(24, '0')}`
    const sealed = before.seal(Buffer.from(`secret ${index}`), identity(endpoint_id))
    return { endpoint_id, sealed: `\\x${sealed.toString('hex')}` }
  })
  await service.sql`
    insert into webhook_endpoints (merchant_id, endpoint_id, url, event_filter, status, sealed_secret, created_at)
    select ${merchant_id}, endpoint_id, ${url}, '{}', 'active', sealed, ${clock.now()}
    from json_to_recordset(${rows as never}::json) as r (endpoint_id text, sealed bytea)`
  const young = randomBytes(32)
  const wrapped = await rewrapSecrets({ ...service.context, keyring: keyringOf(young, old) })
  expect(wrapped).toBeGreaterThanOrEqual(501)
  expect(await secretsOf(rows[500]!.endpoint_id, keyringOf(young))).toEqual(['secret 500', null])
})
