// Where the simulated bank runs, and what becomes of test mode where it does not.

import { afterEach, describe, expect, test } from 'vitest'
import { createMerchant } from '../../src/merchants/manage.ts'
import { openSimulatorSwitch } from '../../src/service/simulator-switch.ts'
import { cardOf, visa } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { type LogLine, logInto, type Service, startService, until } from '../support/service.ts'

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
    message: expect.stringMatching(/^Test mode is off here.*RIPPER_SIMULATOR=on/),
  },
}

describe('switched off', () => {
  test('there is no bank, and test mode says why', async () => {
    service = await startService({ simulator: 'off' })
    expect(await bankAnswers(service)).toBe(404)
    expect(await configuration(service)).toMatchObject(isOff)
    const { client } = service
    const session = await client.open()
    const { body: card } = await client.referenceCard(session, cardOf(visa))
    expect(await client.authenticate(session, card.card_reference)).toMatchObject(isOff)
  })

  test('an installation without a live merchant does not ask for it', async () => {
    service = await startService({ simulator: null })
    expect(await bankAnswers(service)).toBe(400)
    expect((await configuration(service)).status).toBe(200)
  })

  test('it goes off by itself when there is a live merchant, on a service that runs', async () => {
    service = await startService({ simulator: null })
    const running = service
    await running.newAccount(live)
    expect(
      await until(
        () => bankAnswers(running),
        (status) => status === 404,
      ),
    ).toBe(404)
    expect(await configuration(running)).toMatchObject(isOff)
    const said = running.log.filter(({ message }) => message.startsWith('test mode is off'))
    expect(said).toHaveLength(1)
  })

  test('it learns at once of one that a command makes, without a look', async () => {
    service = await startService({ simulator: null, clock: manualClock() })
    const running = service
    const named = { name: 'Live shop', live: true, live_enabled: true, acquiring_profile: null }
    await createMerchant(running.operator, named)
    expect(
      await until(
        () => bankAnswers(running),
        (status) => status === 404,
      ),
    ).toBe(404)
  })

  test('it stays where it was asked for', async () => {
    service = await startService({ simulator: 'on' })
    await service.newAccount(live)
    expect(await bankAnswers(service)).toBe(400)
    expect((await configuration(service)).status).toBe(200)
  })

  test('it is off from the start where there is one already', async () => {
    const first = await startService({ simulator: null })
    service = first
    await first.newAccount(live)
    const second = await startService({ simulator: null, database: first.database })
    expect(await bankAnswers(second)).toBe(404)
    await second.close()
  })
})

describe('the switch', () => {
  function openOn(rows: () => Promise<object[]>) {
    const clock = manualClock()
    const lines: LogLine[] = []
    const sql = (() => rows()) as never
    const world = { clock, log: logInto(lines) }
    return { clock, lines, simulator: openSimulatorSwitch({ asked: null, sql, world }) }
  }

  test('looks again after 30 s without a notification', async () => {
    let rows: object[] = []
    const { clock, simulator } = openOn(async () => rows)
    await simulator.look()
    rows = [{}]
    await clock.advance(29_999)
    expect(simulator.isOn()).toBe(true)
    await clock.advance(1)
    simulator.isOn()
    await clock.advance(0)
    expect(simulator.isOn()).toBe(false)
    rows = []
    await simulator.look()
    expect(simulator.isOn()).toBe(true)
  })

  test('stays as it is while the database cannot be reached, off before the first answer', async () => {
    let answer = async (): Promise<object[]> => {
      throw new Error('away')
    }
    const { simulator, lines } = openOn(() => answer())
    await simulator.look()
    expect([simulator.isOn(), lines]).toEqual([false, []])
    answer = async () => []
    await simulator.look()
    answer = async () => {
      throw new Error('away')
    }
    await simulator.look()
    expect(simulator.isOn()).toBe(true)
  })
})
