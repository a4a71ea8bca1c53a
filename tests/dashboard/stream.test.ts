// The stream of changes: what changed at a person's merchants, and nothing of others or of shoppers.

import { expect, test } from 'vitest'
import { hold } from '../support/holding.ts'
import { newMember } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account } = service

type Member = Awaited<ReturnType<typeof newMember>>

/** Reads until `enough` says so, then leaves. */
async function listen(member: Member, act: () => Promise<void>, enough: (said: string) => boolean) {
  const leave = new AbortController()
  const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(`${service.base_url}/dashboard/api/stream`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    signal: leave.signal,
  })
  let said = ''
  if (response.status !== 200) return { status: response.status, said: await response.text() }
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const read = async () => {
    const { value, done } = await reader.read()
    said += value ?? ''
    return done
  }
  await read()
  await act()
  while (!enough(said)) if (await read()) break
  leave.abort()
  return { status: response.status, said }
}

const changesIn = (said: string) =>
  [...said.matchAll(/^event: changed\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!))

test('of a live merchant nothing is told to who has shown a password alone', async () => {
  const member = await newMember(service, { role: 'viewer' })
  const password = 'cobalt harbour 41'
  await member.post('/me/password', { password })
  await service.sql`delete from passkeys where user_id = ${member.user_id}`
  await member.post('/sign-out')
  await member.signInByPassword(member.email, password)
  const ready = async () =>
    (
      await listen(
        member,
        async () => {},
        () => true,
      )
    ).said
  expect(await ready()).toContain(account.merchant_id)
  const { merchant_id } = account
  await service.sql`update merchants set live = true where merchant_id = ${merchant_id}`
  expect(await ready()).toContain('"merchants":[]')
  await service.sql`update merchants set live = false where merchant_id = ${merchant_id}`
})

test('a hold is told to a member by kind and id, and nothing of another merchant', async () => {
  const member = await newMember(service, { role: 'viewer' })
  const other = await service.newAccount()
  let payment_id = ''
  const { said } = await listen(
    member,
    async () => {
      await hold(other)
      payment_id = (await hold(account)).payment_id
    },
    (said) => said.includes('"kind":"hold"'),
  )
  const { merchant_id } = account
  expect(changesIn(said)).toContainEqual({ merchant_id, kind: 'payment', id: payment_id })
  expect(changesIn(said)).toContainEqual({ merchant_id, kind: 'hold', id: payment_id })
  expect(said).not.toContain(other.merchant_id)
  expect(said).not.toContain('ada@')
})

test('what happened before is not told', async () => {
  const member = await newMember(service, { role: 'viewer' })
  const { body: before } = await account.client.pay()
  let after = ''
  const { said } = await listen(
    member,
    async () => {
      after = (await account.client.pay()).body.payment_id
    },
    (said) => after !== '' && said.includes(after),
  )
  expect(said).not.toContain(before.payment_id)
})

test('it takes a session', async () => {
  const answer = await fetch(`${service.base_url}/dashboard/api/stream`)
  expect(answer.status).toBe(401)
})

test('a person has three, and one more when one is left', async () => {
  const member = await newMember(service, { role: 'viewer' })
  const hold_open = (work: () => Promise<void>) => listen(member, work, () => true)
  await hold_open(() =>
    hold_open(() =>
      hold_open(async () => {
        expect((await hold_open(async () => {})).status).toBe(429)
      }).then(() => undefined),
    ).then(() => undefined),
  )
})
