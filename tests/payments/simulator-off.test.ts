// Where the simulated bank runs, and what becomes of test mode where it does not.

import { afterEach, expect, test } from 'vitest'
import { cardOf, visa } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service | null = null
afterEach(async () => {
  await service?.close()
  service = null
})

const live = { merchant: { live: true, live_enabled: true } }

async function bankAnswers({ base_url }: Service): Promise<number> {
  const answer = await fetch(`${base_url}/simulator/three-ds/acs/method`, { method: 'POST' })
  if (answer.status === 404) {
    expect(await answer.json()).toMatchObject({ error: 'resource_not_found' })
  }
  return answer.status
}

/** What the configuration of a checkout in test mode is answered with. */
async function configuration({ client, account }: Service) {
  const path = `/v1/checkout/config/${account.publishable_key}`
  const answer = await fetch(client.base_url + path)
  return { status: answer.status, body: await answer.json() }
}

const isOff = {
  status: 503,
  body: {
    error: 'three_ds_provider_unavailable',
    message: expect.stringMatching(/^Test mode is off here.*RIPPER_SIMULATOR=off/),
  },
}

test('switched off, there is no bank, and test mode says why', async () => {
  service = await startService({ simulator: 'off' })
  expect(await bankAnswers(service)).toBe(404)
  expect(await configuration(service)).toMatchObject(isOff)
  const { client } = service
  const session = await client.open()
  const { body: card } = await client.referenceCard(session, cardOf(visa))
  expect(await client.authenticate(session, card.card_reference)).toMatchObject(isOff)
})

test('test mode goes on beside live merchants, on a service that runs and on one that starts', async () => {
  const first = await startService()
  service = first
  await first.newAccount(live)
  const second = await startService({ database: first.database })
  for (const each of [first, second]) {
    expect(await bankAnswers(each)).toBe(400)
    expect((await configuration(each)).status).toBe(200)
  }
  await second.close()
})
