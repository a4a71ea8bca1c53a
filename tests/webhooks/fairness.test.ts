// Who hangs, fails or has much waiting does not hold up anybody else, and is not overrun: judged by what comes, never by how soon.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '../support/webhook-stage.ts'

const retry_seconds = 60

const openOne = () => openStage(Array.from({ length: 10 }, () => retry_seconds))
const patience = { timeout: 60_000 }

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number)
const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)

describe('between endpoints', patience, () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openOne()
  })
  afterEach(() => stage.close())

  test('one that never answers, with much waiting, does not delay another', async () => {
    const [hanging, healthy] = [await stage.openCounter(), await stage.openCounter()]
    await stage.tell(await stage.endpointAt(hanging.url), 300)
    await stage.until(() => hanging.waiting.length === 1)
    await stage.tell(await stage.endpointAt(healthy.url), 50)
    await stage.until(() => {
      healthy.answer(200)
      return healthy.came.length === 50
    })
    expect(sorted(healthy.came)).toEqual(upTo(50))
    expect(hanging.came).toHaveLength(1)
  })

  test('a hundred that never answer leave room for a new one', async () => {
    const [hanging, healthy] = [await stage.openCounter(), await stage.openCounter()]
    const { merchant_id } = await stage.endpointAt(hanging.url)
    for (const _ of upTo(99)) await stage.endpointAt(hanging.url, merchant_id)
    await stage.tell({ merchant_id }, 3)
    await stage.until(() => hanging.waiting.length === 100)
    await stage.tell(await stage.endpointAt(healthy.url), 300)
    await stage.until(() => {
      healthy.answer(200)
      return healthy.came.length === 300
    })
    expect(hanging.came).toHaveLength(100)
  })

  test('two hundred that never answer leave room for one that is known to', async () => {
    const [hanging, healthy] = [await stage.openCounter(), await stage.openCounter()]
    const good = await stage.endpointAt(healthy.url)
    await stage.tell(good, 1)
    await stage.until(() => healthy.waiting.length === 1)
    healthy.answer(200)
    const { merchant_id } = await stage.endpointAt(hanging.url)
    for (const _ of upTo(199)) await stage.endpointAt(hanging.url, merchant_id)
    await stage.tell({ merchant_id }, 1)
    await stage.until(() => hanging.waiting.length === 160)
    await stage.tell(good, 300)
    await stage.until(() => {
      healthy.answer(200)
      return healthy.came.length === 301
    })
    expect(hanging.came).toHaveLength(160)
  })

  test('ten thousand that wait for one at rest are not in the way of an event of another', async () => {
    const [failing, healthy] = [await stage.openCounter(), await stage.openCounter()]
    const bad = await stage.endpointAt(failing.url)
    await stage.tell(bad, 1)
    await stage.tellAgain(bad, 9_999, 0)
    await stage.until(async () => {
      failing.answer(500)
      return (await stage.reopened(bad)) === 0
    })
    await stage.tell(await stage.endpointAt(healthy.url), 1)
    await stage.until(() => healthy.came.length === 1)
    await stage.pass(10)
    const untouched = (await stage.queueOf(bad)).filter((row) => row.attempt_number === 0)
    expect(untouched).toHaveLength(10_000 - failing.came.length)
    expect(failing.came.length).toBeLessThanOrEqual(8)
  })
})

describe('within an endpoint', patience, () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openOne()
  })
  afterEach(() => stage.close())

  test('retries do not hold up what is new', async () => {
    const counter = await stage.openCounter()
    const endpoint = await stage.endpointAt(counter.url)
    await stage.tell(endpoint, 1)
    await stage.until(() => counter.waiting.length === 1)
    counter.answer(200)
    await stage.tellAgain(endpoint, 1_000, 1)
    await stage.until(() => counter.waiting.length === 2)
    await stage.tell(endpoint, 60, 1)
    await stage.until(() => {
      counter.answer(200, { fits: (number) => number > 0 })
      return counter.came.filter((number) => number > 0).length === 60
    })
    expect(new Set(counter.waiting.map(({ number }) => number))).toEqual(new Set([0]))
  })

  test('at first one is under way; the window grows with what succeeds and halves with what fails', async () => {
    const counter = await stage.openCounter()
    await stage.tell(await stage.endpointAt(counter.url), 100)
    const expectWindow = async (size: number) => {
      await stage.until(() => counter.waiting.length === size)
      await stage.pass(2)
      expect(counter.waiting).toHaveLength(size)
    }
    await expectWindow(1)
    counter.answer(200, { count: 1 })
    await expectWindow(5)
    counter.answer(500, { count: 2 })
    await expectWindow(3)
    // The window is 1 now, and 2 after the next.
    counter.answer(200, { count: 1 })
    await expectWindow(2)
    counter.answer(200, { count: 1 })
    await expectWindow(4)
  })

  test('a breaker opens, lets one through to see, opens for longer, and begins slowly after a success', async () => {
    const counter = await stage.openCounter()
    const endpoint = await stage.endpointAt(counter.url)
    await stage.tell(endpoint, 100)
    await stage.until(async () => {
      counter.answer(500, { count: 1 })
      return (await stage.reopened(endpoint)) === 0
    })
    counter.answer(500)
    await stage.until(async () => (await stage.queueOf(endpoint)).every((row) => !row.attempt_id))
    const waiting = await stage.queueOf(endpoint)
    const came = counter.came.length
    expect(came).toBeLessThanOrEqual(8)

    // 30 s, a fifth more or less.
    await stage.pass(20)
    expect(await stage.queueOf(endpoint)).toEqual(waiting)
    await stage.pass(20)
    await stage.until(() => counter.came.length === came + 1)
    await stage.pass(100)
    expect(counter.came).toHaveLength(came + 1)
    counter.answer(500)
    await stage.until(async () => (await stage.reopened(endpoint)) === 1)
    await stage.pass(40)
    expect(counter.came).toHaveLength(came + 1)

    await stage.pass(40)
    for (const window of [1, 1, 2, 4, 5]) {
      await stage.until(() => counter.waiting.length === window)
      await stage.pass(2)
      expect(counter.waiting).toHaveLength(window)
      counter.answer(200)
      if (window === 1) await stage.until(async () => (await stage.reopened(endpoint)) === null)
    }
  })
})

describe('a receiver that asks for a rest', patience, () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openOne()
  })
  afterAll(() => stage.close())

  test.each([
    [503, '3600', 3600],
    [429, '3600', 3600],
    [503, '1', retry_seconds],
    [503, 'soon', retry_seconds],
    [500, '3600', retry_seconds],
  ])(
    'answers %i with Retry-After: %s and is tried again after %i s or a fifth more',
    async (status, asked, seconds) => {
      const counter = await stage.openCounter()
      const endpoint = await stage.endpointAt(counter.url)
      await stage.tell(endpoint, 1)
      await stage.until(() => counter.waiting.length === 1)
      const asked_at = stage.clock.now().getTime()
      counter.answer(status, { headers: { 'retry-after': asked } })
      await stage.until(async () => (await stage.queueOf(endpoint))[0]!.class === 1)
      const [row] = await stage.queueOf(endpoint)
      const delay_ms = row!.due_at.getTime() - asked_at
      expect(delay_ms).toBeGreaterThanOrEqual(seconds * 1000)
      expect(delay_ms).toBeLessThanOrEqual(seconds * 1200 + 10_000)
    },
  )

  test('gets it for all of its events, and no other endpoint does', async () => {
    const [tired, other] = [await stage.openCounter(), await stage.openCounter()]
    const endpoint = await stage.endpointAt(tired.url)
    await stage.tell(endpoint, 1)
    await stage.until(() => tired.waiting.length === 1)
    tired.answer(503, { headers: { 'retry-after': '600' } })
    const rests_from = stage.clock.now().getTime()
    await stage.until(async () => (await stage.queueOf(endpoint))[0]!.class === 1)
    await stage.tell(endpoint, 3)
    await stage.tell(await stage.endpointAt(other.url), 1)
    await stage.until(() => other.came.length === 1)
    await stage.pass(590 - (stage.clock.now().getTime() - rests_from) / 1000)
    expect(tired.came).toHaveLength(1)
    await stage.pass(20)
    await stage.until(() => tired.came.length > 1)
  })
})
