// `npm run sandbox` against the fakes: what holds there, what it says of a vendor that answers otherwise, and what nobody can show.

import { expect, onTestFinished, test } from 'vitest'
import { cardsOf } from '../../proofs/sandbox/cards.ts'
import { pageOf, rehearse, type Verdict } from '../../proofs/sandbox/rehearse.ts'
import type { Credentials } from '../../src/connections/connection.ts'
import { connectors } from '../../src/connections/connectors.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { openWire } from '../../src/vendor-wire/wire.ts'
import { mintReference } from '../adapters/acquirer-requests.ts'
import { openAdyenFake } from '../adapters/fakes/adyen/server.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { shell } from '../support/programs.ts'
import { drivenClock, driving } from '../support/service.ts'
import { realClock } from '../support/world.ts'

type Fake = { url: string; wrong: string[]; close(): Promise<void> }

async function atFake<F extends Fake>(name: string, fake: F, credentials: (fake: F) => Credentials) {
  const http = openVendorHttp({ clock: realClock, allowed_networks: ['127.0.0.1'] })
  onTestFinished(async () => {
    await http.close()
    await fake.close()
  })
  const connector = connectors.find((each) => each.name === name)!
  const parts = { connector, wire: openWire(http), mintReference, installation: '0'.repeat(24) }
  return { ...parts, credentials: { ...credentials(fake), api_url: fake.url } }
}

const namesOf = (verdicts: Verdict[], wanted: Verdict['verdict']) =>
  verdicts.filter(({ verdict }) => verdict === wanted).map(({ name, words }) => `${name}: ${words}`)

test('Checkout.com: every case holds', async () => {
  const clock = drivenClock()
  const fake = await openCheckoutFake({ clock })
  const parts = await atFake('checkout', fake, ({ secret_key, signature_key }) => {
    return { secret_key, signature_key }
  })
  const verdicts = await driving(clock, rehearse({ ...parts, clock }))
  expect(namesOf(verdicts, 'differed')).toEqual([])
  expect(namesOf(verdicts, 'not_shown')).toEqual([])
  expect(verdicts.length).toBeGreaterThan(20)
  expect(fake.wrong).toEqual([])
}, 60_000)

test('Stripe: every case holds', async () => {
  const clock = drivenClock()
  const fake = await openStripeFake({ clock })
  const parts = await atFake('stripe', fake, ({ secret_key, webhook_secret }) => {
    return { secret_key, webhook_secret }
  })
  const verdicts = await driving(clock, rehearse({ ...parts, clock }))
  expect(namesOf(verdicts, 'differed')).toEqual([])
  expect(namesOf(verdicts, 'not_shown')).toEqual([])
  expect(fake.wrong).toEqual([])
}, 60_000)

test('Adyen: what only notices tell is not shown, and the rest holds', async () => {
  const clock = drivenClock()
  const fake = await openAdyenFake({ clock })
  const parts = await atFake('adyen', fake, ({ api_key, merchant_account, hmac_key }) => {
    return { api_key, merchant_account, hmac_key }
  })
  const verdicts = await driving(clock, rehearse({ ...parts, clock }))
  expect(namesOf(verdicts, 'differed')).toEqual([])
  expect(namesOf(verdicts, 'not_shown').length).toBeGreaterThan(5)
  expect(namesOf(verdicts, 'held').length).toBeGreaterThan(5)
  expect(fake.wrong).toEqual([])
}, 60_000)

test('what a vendor answers otherwise is told, and the cases behind it go on', async () => {
  const clock = drivenClock()
  const fake = await openCheckoutFake({ clock })
  const parts = await atFake('checkout', fake, ({ secret_key, signature_key }) => {
    return { secret_key, signature_key }
  })
  fake.next('wrong_amount')
  const verdicts = await driving(clock, rehearse({ ...parts, clock }))
  const differed = namesOf(verdicts, 'differed')
  expect(differed).toEqual([expect.stringMatching(/^a charge is approved and captured at once: .*1\b/)])
  const page = pageOf(verdicts, { name: 'checkout', day: '2026-09-01' })
  expect(page).toMatch(/^# checkout, its sandbox, 2026-09-01\n\n\d+ held, 1 differed, 0 cannot be/)
  expect(page.indexOf('## What differed')).toBeLessThan(page.indexOf('## What held'))
  expect(page).not.toContain(fake.secret_key)
}, 60_000)

test('there are cards for each acquirer', () => {
  const acquirers = connectors.filter(({ kind }) => kind === 'acquirer')
  expect(Object.keys(cardsOf)).toEqual(acquirers.map(({ name }) => name))
  for (const { name, sandbox_numbers } of acquirers) {
    const { approved, declined } = cardsOf[name]!
    for (const number of [approved, ...declined.map((each) => each.number)]) {
      expect(sandbox_numbers).toContain(number)
    }
  }
})

test('the command takes its credentials from standard input, and prints a page', async () => {
  const fake = await openStripeFake({ clock: realClock })
  onTestFinished(fake.close)
  const { secret_key, webhook_secret, url } = fake
  const file = JSON.stringify({ secret_key, webhook_secret, api_url: url })
  const env = { RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.1' }
  const command = `'${process.execPath}' proofs/sandbox/main.ts`
  const good = await shell(`printf '%s' '${file}' | ${command} --acquirer stripe`, { env })
  expect([good.status, good.stdout]).toEqual([0, expect.stringContaining(' 0 differed,')])
  expect(good.stdout + good.stderr).not.toContain(secret_key)
  const cut = await shell(`printf '{"secret_key":"Oolong' | ${command} --acquirer stripe`, { env })
  expect([cut.status, cut.stdout]).toEqual([2, ''])
  expect(cut.stderr).not.toContain('Oolong')
  const nobody = await shell(`${command} < /dev/null`, { env })
  expect([nobody.status, nobody.stderr]).toEqual([2, expect.stringContaining('--acquirer takes')])
}, 60_000)
