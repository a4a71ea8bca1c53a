// Coming in by a link and a passkey, signing in again, and what is refused on the way.

import { expect, test } from 'vitest'
import { linkFor, newMember, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })

test('a welcome makes an account, signed in, and nothing more by the same link', async () => {
  const secret = await linkFor(service, {
    merchant_id: service.account.merchant_id,
    role: 'owner',
    is_operator: true,
  })
  const person = newPerson(service)
  expect((await person.post('/links/read', { secret })).body).toMatchObject({
    purpose: 'welcome',
    email: null,
    merchant_name: 'Tea & Sons',
    role: 'owner',
  })
  const redeemed = await person.redeem(secret, { email: ' First@Example.com ' })
  expect(redeemed.status).toBe(200)
  expect(redeemed.body.recovery_codes).toHaveLength(10)
  const { body } = await person.get('/me')
  expect(body).toMatchObject({
    user: { email: 'first@example.com', name: 'Ada', is_operator: true },
    methods: { passkeys: 1, has_password: false, recovery_codes_left: 10 },
    memberships: [{ merchant_id: service.account.merchant_id, role: 'owner' }],
  })
  expect(refusalIn(await newPerson(service).redeem(secret))).toBe('410 link_used')
})

test('a passkey signs in, and each challenge once', async () => {
  const person = await newMember(service)
  await person.post('/sign-out')
  expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
  await clock.advance(1000)
  const { body } = await person.post('/sign-in/passkey-options')
  const passkey = person.authenticator.use(body.options)
  expect((await person.post('/sign-in/passkey', { passkey })).body).toEqual({ next: 'signed_in' })
  expect((await person.get('/me')).status).toBe(200)
  expect(refusalIn(await person.post('/sign-in/passkey', { passkey }))).toBe('401 sign_in_failed')
})

test.each<[unknown, string[]]>([
  [
    ['hybrid', 'internal', 'x'.repeat(1000), 5, null],
    ['hybrid', 'internal'],
  ],
  ['internal', []],
  [{ 0: 'usb' }, []],
  [undefined, []],
])('of what a browser says of transports, %j, the known ones are kept', async (said, kept) => {
  const member = await newMember(service)
  const { body } = await member.post('/me/passkeys/options')
  const { response, ...made } = member.authenticator.make(body.options)
  const passkey = { ...made, response: { ...response, transports: said } }
  const added = await member.post('/me/passkeys', { name: 'Key', passkey })
  expect(added.status, added.text).toBe(204)
  const [row] = await service.sql`
    select transports from passkeys where credential_id = ${made.id}`
  expect(row!.transports).toEqual(kept)
})
