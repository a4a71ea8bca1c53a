// Whoever listens at one process hears of the requests that others answer, as long as somebody listens, and within bounds.

import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { type LoggedRequest, openRequestLog } from '../../src/http/request-log.ts'
import { openNews } from '../../src/service/news.ts'
import {
  again_ms,
  believed_ms,
  openTails,
  rest_ms,
  type TailMessage,
  tail_waiting_max,
} from '../../src/service/request-listeners.ts'
import { manualClock } from '../support/clock.ts'
import { freshDatabase } from '../support/database.ts'
import { listen } from '../support/listener.ts'
import { startService, until } from '../support/service.ts'
import { quiet } from '../support/world.ts'

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

test('a stream at one process has what another answers, and nothing of other accounts', async () => {
  const clock = manualClock()
  const database = await freshDatabase()
  closing.push(database.drop)
  const master_key = randomBytes(32)
  const start = async () => {
    const opened = await database.open()
    closing.push(opened.close)
    const world = { clock, random: { bytes: randomBytes }, log: quiet }
    const news = await openNews({ database: opened, world, isAlone: () => false })
    closing.push(news.stop)
    const service = await startService({ clock, database, master_key, requests: news.requests })
    closing.push(service.close)
    return service
  }
  const [one, other] = [await start(), await start()]
  const { secret_key } = one.account
  const listener = await listen({ base_url: one.base_url, secret_key, path: '/v1/logs/stream' })
  const askOther = (key: string, id: string) =>
    fetch(`${other.base_url}/v1/payments/pay_${id.padStart(24, '0')}`, {
      headers: { 'x-service-api-key': key },
    })
  await until(
    async () => {
      await askOther(other.account.secret_key, 'b')
      await askOther(secret_key, 'a')
      await clock.advance(1_000)
      return listener.news()
    },
    ({ length }) => length > 0,
  )
  for (const { data } of listener.news()) {
    expect(data).toMatchObject({ status: 404, path: `/v1/payments/pay_${'a'.padStart(24, '0')}` })
  }
  listener.hangUp()
})

/** A process without a database: what it says is in `said`. */
function start({ is_alone = false } = {}) {
  const clock = manualClock()
  const said: TailMessage[] = []
  const say = async (message: TailMessage) => void said.push(message)
  const own = openRequestLog()
  const tails = openTails({ world: { clock }, say, isAlone: () => is_alone }, own)
  return { ...tails, clock, said, kept: () => own.from(0), own }
}

const request = (merchant_id: string, path = '/'): LoggedRequest => ({
  merchant_id,
  request_id: 'req',
  at: new Date(0),
  method: 'GET',
  path,
  route: '/',
  status: 200,
  code: null,
  duration_ms: 1,
  mode: null,
})

test('what nobody listens to is told to nobody', async () => {
  const { requests, heard, clock, said } = start()
  heard({ kind: 'tail', merchant_id: 'm_other' })
  requests.add(request('m_a'))
  await clock.advance(rest_ms)
  expect(said).toEqual([])
})

test('is told until the listener has been silent for long', async () => {
  const { requests, heard, clock, said } = start()
  heard({ kind: 'tail', merchant_id: 'm_a' })
  await clock.advance(believed_ms - 1)
  requests.add(request('m_a'))
  await clock.advance(rest_ms)
  requests.add(request('m_a'))
  await clock.advance(rest_ms)
  const at = new Date(0).toISOString()
  expect(said).toEqual([{ kind: 'requests', requests: [{ ...request('m_a'), at }], is_cut: false }])
})

test('a process says that it listens, again and again, until it does not; not where it is alone', async () => {
  const [one, alone] = [start(), start({ is_alone: true })]
  for (const { requests, clock } of [one, alone]) {
    const leave = [requests.hear(() => {}, 'm_a'), requests.hear(() => {}, 'm_a')]
    await clock.advance(again_ms)
    for (const each of leave) each()
    await clock.advance(10 * again_ms)
  }
  const asked = { kind: 'tail', merchant_id: 'm_a' }
  expect([one.said, alone.said]).toEqual([[asked, asked], []])
})

test('requests of others appear where somebody listens to them, and nowhere else', () => {
  const { requests, heard, kept, own } = start()
  const told = ['m_a', 'm_b'].map((merchant_id) => {
    return { ...request(merchant_id), at: new Date(0).toISOString() }
  })
  heard({ kind: 'requests', requests: told, is_cut: true })
  expect([kept(), own.missed()]).toEqual([[], 0])
  requests.hear(() => {}, 'm_b')
  heard({ kind: 'requests', requests: told, is_cut: true })
  expect([kept(), own.missed()]).toEqual([[request('m_b')], 1])
})

test('more than can be told is left out, and that is said', async () => {
  const { requests, heard, clock, said } = start()
  heard({ kind: 'tail', merchant_id: 'm_a' })
  requests.add(request('m_a'))
  for (let each = 0; each <= tail_waiting_max; each += 1) requests.add(request('m_a'))
  await clock.advance(rest_ms)
  requests.add(request('m_a', '/'.repeat(8_000)))
  await clock.advance(rest_ms)
  const told = said.flatMap((message) => (message.kind === 'requests' ? [message] : []))
  expect(told.reduce((sum, { requests: some }) => sum + some.length, 0)).toBe(tail_waiting_max + 1)
  expect([told.at(-2)!.is_cut, told.at(-1)]).toEqual([true, { kind: 'requests', requests: [], is_cut: true }])
  for (const message of told) expect(JSON.stringify(message).length).toBeLessThan(7_900)
})
