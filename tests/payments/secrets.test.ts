// Where card numbers, codes and secrets must not be: in no table, in no line of the log.

import { expect, test } from 'vitest'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import { cardOf, purchase, runChallenge, type SessionSecret } from '../support/client.ts'
import { drivenClock, driving } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'
import { useService } from '../support/use-service.ts'
import { operatorOf } from '../support/webhook-events.ts'

const clock = drivenClock()
const service = await useService({ clock })

const cards = [
  '4242424242424242',
  '5555555555554444',
  '378282246310005',
  '4000000000003220', // a challenge
  '4000000000009995', // declined
  '4000000000000119', // failed
  '4100000000000001', // the answer is lost
  '4000000000002925', // the bank says no
  '4000000000004954', // fraud
  '4000009000030000', // not enrolled
]
const cvc = (index: number, amex: boolean) => String((amex ? 7341 : 731) + index)

test('after many payments nothing secret is stored or logged', async () => {
  const { client, sql } = service
  const sessions: SessionSecret[] = []
  const { body: endpoint } = await client.createEndpoint({ url: 'https://shop.example/hooks' }, 'k')
  const rotated = await rotateSecret(service.context, endpoint.id, operatorOf(service.context), clock.now())
  for (const [index, number] of cards.entries()) {
    const session = await client.open({ ...purchase, metadata: { note: 'n' } })
    sessions.push(session)
    const card = { ...cardOf(number), cvc: cvc(index, number.startsWith('3')) }
    const { body } = await client.referenceCard(session, card)
    const authenticated = await client.authenticate(session, body.card_reference)
    const challenge = authenticated.body.three_ds.challenge
    if (challenge) await runChallenge(challenge.url)
    await driving(clock, client.confirm(session))
    await client.create({ ...purchase, order_reference: number })
    await client.referenceCard(session, { ...card, exp_year: 2020 })
    await client.send('GET', `/v1/checkout/sessions/${session.id}/state?number=${number}`)
  }
  expect(await countOf('vault.cards')).toBe(0)
  expect(await countOf('vault.security_codes')).toBe(0)

  // A card that waits, one that gave way to it, and one that was only typed.
  const open = await client.open()
  sessions.push(open)
  for (const index of [20, 21, 22]) {
    const card = { ...cardOf(cards[3]!), cvc: cvc(index, false) }
    const { body } = await client.referenceCard(open, card)
    if (index < 22) await client.authenticate(open, body.card_reference)
  }
  expect(await countOf('vault.cards')).toBe(2)
  expect(await countOf('vault.security_codes')).toBe(2)

  const stored = await everythingStored(sql)
  expect(stored.size).toBeGreaterThan(15)
  const places = new Map<string, string>([['the log', JSON.stringify(service.log)]])
  for (const [name, rows] of stored) places.set(name, rows.join('\n'))
  expect(places.get('sessions') ?? places.get('public.sessions')).toContain(open.id)

  const secrets = [
    ...cards,
    ...sessions.map(({ client_secret }) => client_secret.split('_secret_')[1]!),
    service.account.secret_key,
    endpoint.signing_secret,
    rotated.signing_secret,
  ]
  for (const [place, text] of places) {
    const found = secrets.filter((secret) => spellings(secret).some((one) => text.includes(one)))
    expect({ place, found }).toEqual({ place, found: [] })
    const codes = [...cards.entries()].map(([index, number]) => cvc(index, number.startsWith('3')))
    const told = codes.filter((code) => tellsCode(text, code))
    expect({ place, told }).toEqual({ place, told: [] })
  }
})

test('what was typed is gone when its time is over', async () => {
  const { purgeCards } = await import('../../src/payments/cards/vault-store.ts')
  await purgeCards(service.sql, new Date(clock.now().getTime() + 3_600_000))
  expect(await countOf('vault.cards')).toBe(0)
  expect(await countOf('vault.security_codes')).toBe(0)
})

test.each([
  '(m_1,card_1,731,2026)',
  '(m_1,"731")',
  '(m_1,"{""cvc"":""731""}")',
  '{"cvc":"731"}',
  '(m_1,"\\\\x373331")',
])('a code in the clear would be found: %s', (row) => {
  expect(tellsCode(row, '731')).toBe(true)
  expect(tellsCode(row, '732')).toBe(false)
})

/** A code is too short to be looked for anywhere: it is found as a cell or a JSON value of its own, as text or as bytes. */
function tellsCode(text: string, code: string): boolean {
  const bytes = Buffer.from(code).toString('hex')
  return new RegExp(`[(,"]${code}[),"]|x${bytes}["),]`).test(text)
}

async function countOf(table: string): Promise<number> {
  const [row] = await service.sql.unsafe(`select count(*)::int as count from ${table}`)
  return row!.count
}

/** As text, and as the bytes of a bytea column show it. */
function spellings(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex')
  return /^[0-9a-f]{64}$/.test(secret) ? [secret, hex] : [secret, hex, groups(secret)]
}

function groups(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1 ')
}
