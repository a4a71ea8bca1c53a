import { beforeEach, describe, expect, test } from 'vitest'
import { fakeWorld, identity, memoryRanges } from '../../../tests/adapters/three-ds-fixtures.ts'
import { type OutgoingAnswer, OutgoingFailure } from '../../kernel/world.ts'
import { ProviderUnavailable } from '../three-ds.ts'
import { findRange } from './card-ranges.ts'
import { type JsonObject, readJsonObject } from './json.ts'
import { openCardRanges } from './load-ranges.ts'

const hour_ms = 3_600_000
const visa = { scheme: 'visa', url: 'https://ds.example/' } as const
const amex = { scheme: 'amex', url: 'https://ds.example/' } as const

type Reply = (preq: JsonObject) => OutgoingAnswer | Promise<OutgoingAnswer>

function row(start: string, end: string, actionInd = 'A') {
  return {
    startRange: start,
    endRange: end,
    actionInd,
    acsStartProtocolVersion: '2.1.0',
    acsEndProtocolVersion: '2.2.0',
  }
}

const first = row('4000000000000000', '4000009999999999')
const second = row('5200000000000000', '5200009999999999')

function pres(serialNum: string, rows?: object[], changes: object = {}): Reply {
  return (preq) => ({
    status: 200,
    content_type: 'application/json',
    body: JSON.stringify({
      messageType: 'PRes',
      messageVersion: '2.2.0',
      threeDSServerTransID: preq.threeDSServerTransID,
      dsTransID: 'e9ff1fc0-3898-4887-b338-2db51170b865',
      dsStartProtocolVersion: '2.1.0',
      dsEndProtocolVersion: '2.2.0',
      serialNum,
      cardRangeData: rows,
      ...changes,
    }),
  })
}

const down: Reply = () => {
  throw new OutgoingFailure('not_sent', false, 'refused')
}
const erro: Reply = () => ({
  status: 200,
  content_type: 'application/json',
  body: '{"messageType":"Erro","messageVersion":"2.2.0","errorCode":"307"}',
})

let replies: Reply[]
let requests: JsonObject[]

function open(store = memoryRanges()) {
  const world = fakeWorld({
    async post({ body }) {
      const reading = readJsonObject(body)
      if (!('object' in reading)) throw new Error('no JSON')
      requests.push(reading.object)
      const reply = replies.shift()
      if (!reply) throw new Error('asked once too often')
      return reply(reading.object)
    },
  })
  return { world, store, ranges: openCardRanges({ world, store, identity }) }
}

beforeEach(() => {
  replies = []
  requests = []
})

describe('at first need', () => {
  test('everything is loaded, kept and stored', async () => {
    replies = [pres('1', [first])]
    const { ranges, store, world } = open()
    const table = await ranges.tableOf(visa)
    expect(findRange(table, '4000009100020000')).not.toBeNull()
    await ranges.tableOf(visa)
    expect(requests).toHaveLength(1)
    expect(requests[0]).not.toHaveProperty('serialNum')
    expect(store.rows.get(visa.url)).toEqual({
      serial_number: '1',
      fetched_at: world.clock.now(),
      ranges: table,
    })
  })

  test('many at once, and two schemes of one address, load once', async () => {
    replies = [pres('1', [first])]
    const { ranges } = open()
    const tables = await Promise.all([visa, amex, visa].map(ranges.tableOf))
    expect(requests).toHaveLength(1)
    expect(tables.every((table) => table.length === 1)).toBe(true)
  })

  test('a stored table that is fresh is enough', async () => {
    replies = [pres('1', [first])]
    const { ranges, store } = open()
    await ranges.tableOf(visa)
    expect(await open(store).ranges.tableOf(visa)).toHaveLength(1)
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['down', [down]],
    ['an Erro', [erro]],
    ['overlapping ranges', [pres('1', [first, row('4000005000000000', '4000010000000000')])]],
    ['another version', [pres('1', [first], { messageVersion: '2.1.0' })]],
    ['malformed', [pres('', [first])]],
  ])('%s: there is no table, and the next need asks again', async (_, bad) => {
    replies = [...bad, pres('1', [first])]
    const { ranges } = open()
    await expect(ranges.tableOf(visa)).rejects.toThrow(ProviderUnavailable)
    expect(await ranges.tableOf(visa)).toHaveLength(1)
  })
})

describe('after a day', () => {
  async function aDayLater() {
    replies = [pres('1', [first])]
    const fixture = open()
    await fixture.ranges.tableOf(visa)
    await fixture.world.clock.advance(24 * hour_ms - 1)
    await fixture.ranges.tableOf(visa)
    expect(requests).toHaveLength(1)
    await fixture.world.clock.advance(1)
    return fixture
  }

  test('a delta is fetched and applied', async () => {
    const { ranges, store } = await aDayLater()
    replies = [pres('2', [second])]
    expect(await ranges.tableOf(visa)).toHaveLength(2)
    expect(requests[1]).toMatchObject({ serialNum: '1' })
    expect(store.rows.get(visa.url)!.serial_number).toBe('2')
    await ranges.tableOf(visa)
    expect(requests).toHaveLength(2)
  })

  test('nothing new keeps the table for another day', async () => {
    const { ranges, world } = await aDayLater()
    replies = [pres('1')]
    expect(await ranges.tableOf(visa)).toHaveLength(1)
    await world.clock.advance(23 * hour_ms)
    await ranges.tableOf(visa)
    expect(requests).toHaveLength(2)
  })

  test.each([
    ['refused', erro],
    ['that does not fit', pres('2', [row('4000000000000000', '4000000000000009')])],
  ])('a delta %s is made good by a full load', async (_, bad) => {
    const { ranges } = await aDayLater()
    replies = [bad, pres('3', [second])]
    expect(await ranges.tableOf(visa)).toMatchObject([{ start: second.startRange }])
    expect(requests[2]).not.toHaveProperty('serialNum')
  })

  test('a failure keeps the old table, and is tried again after an hour', async () => {
    const { ranges, world } = await aDayLater()
    replies = [down]
    expect(await ranges.tableOf(visa)).toHaveLength(1)
    await world.clock.advance(hour_ms - 1)
    expect(await ranges.tableOf(visa)).toHaveLength(1)
    expect(requests).toHaveLength(2)
    await world.clock.advance(1)
    replies = [pres('2', [second])]
    expect(await ranges.tableOf(visa)).toHaveLength(2)
  })

  test('what another process has fetched meanwhile is taken over', async () => {
    const { ranges, store, world } = await aDayLater()
    const row = store.rows.get(visa.url)!
    store.rows.set(visa.url, { ...row, fetched_at: world.clock.now(), ranges: [] })
    expect(await ranges.tableOf(visa)).toHaveLength(0)
    expect(requests).toHaveLength(1)
  })
})
