import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closedBreaker } from './breaker.ts'
import type { AttemptResult } from './lane.ts'
import { type Lanes, openLanes, type Shares } from './lanes.ts'

const noon_ms = Date.parse('2026-09-01T12:00:00Z')
const slots_max = 256

/** The lanes, and how a test fills them. */
function openModel() {
  const lanes: Lanes = openLanes()
  const under_way: { endpoint_id: string; attempt_id: string }[] = []
  let attempts = 0
  let now_ms = noon_ms

  const shares = ({ is_retry = false, unwritten = 0 } = {}) => lanes.shares({ is_retry, unwritten, now_ms })
  function begin(endpoint_id: string, is_retry = false): string {
    const attempt_id = `attempt ${++attempts}`
    lanes.begin(endpoint_id, { attempt_id, is_retry }, now_ms)
    under_way.push({ endpoint_id, attempt_id })
    return attempt_id
  }
  function end(at: number, changes: Partial<AttemptResult> = {}) {
    const [{ endpoint_id, attempt_id }] = under_way.splice(at, 1) as [(typeof under_way)[0]]
    const well = { succeeded: true, is_our_fault: false, rest_seconds: 0, ended_ms: now_ms }
    const open_max_ms = Number.POSITIVE_INFINITY
    return lanes.end(endpoint_id, { attempt_id, ...well, open_max_ms, ...changes }, 0.5)
  }
  return {
    lanes,
    under_way,
    shares,
    begin,
    end,
    wait(ms: number) {
      now_ms += ms
    },
    now: () => now_ms,
    /** One quick answer, after which the endpoint is trusted. */
    trust(endpointId: string) {
      begin(endpointId)
      end(under_way.length - 1)
    },
    /** One failure each, after which two attempts at each endpoint may be under way, one of them a retry. */
    distrust(waiting: Record<string, number>) {
      for (const endpointId of Object.keys(waiting)) {
        begin(endpointId)
        end(under_way.length - 1, { succeeded: false })
      }
      return waiting
    },
    /** What the database would claim if this many deliveries wait at each endpoint. */
    claim(waiting: Record<string, number>, order: { is_retry?: boolean; unwritten?: number } = {}) {
      const offered = shares(order)
      const slotsLeft = {
        trusted: offered.trusted_slots,
        new: offered.new_slots,
        other: offered.other_slots,
      }
      const startedIds: string[] = []
      let untrusted = offered.untrusted_slots
      for (const group of ['trusted', 'new', 'other'] as const) {
        for (const [endpoint_id, count] of Object.entries(waiting)) {
          const { room, standing } = roomFor(offered, endpoint_id)
          if (standing !== group) continue
          const free = group === 'trusted' ? slotsLeft.trusted : Math.min(slotsLeft[group], untrusted)
          const some = Math.min(room, count, free, offered.slots - startedIds.length)
          slotsLeft[group] -= some
          if (group !== 'trusted') untrusted -= some
          for (let at = 0; at < some; at++) startedIds.push(endpoint_id)
        }
      }
      for (const endpoint_id of startedIds) begin(endpoint_id, order.is_retry)
      return { offered, startedIds }
    },
  }
}

const roomFor = ({ rooms, room }: Shares, endpointId: string) =>
  rooms.find(({ endpoint_id }) => endpoint_id === endpointId) ?? {
    room,
    standing: 'new' as const,
  }

const endpointsNamed = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 1_000]))

describe('what is offered', () => {
  test('at first: all slots, of which an eighth is kept for those that are not trusted', () => {
    expect(openModel().shares()).toEqual({
      rooms: [],
      room: 1,
      slots: 256,
      trusted_slots: 224,
      untrusted_slots: 192,
      new_slots: 160,
      other_slots: 128,
    })
  })

  test('endpoints without a record have 160 slots together, and one each', () => {
    const model = openModel()
    model.claim(endpointsNamed(250, 'new'))
    expect(new Set(model.under_way.map(({ endpoint_id }) => endpoint_id)).size).toBe(160)
    expect(model.lanes.underWay()).toBe(160)
    expect(model.shares()).toMatchObject({
      slots: 96,
      trusted_slots: 96,
      untrusted_slots: 32,
      new_slots: 0,
      other_slots: 96,
    })
    expect(model.claim(endpointsNamed(100, 'newer')).startedIds).toEqual([])
  })

  test('endpoints that fail have 128 slots together, and leave room for new ones', () => {
    const model = openModel()
    model.claim(model.distrust(endpointsNamed(100, 'failing')))
    expect(model.lanes.underWay()).toBe(128)
    expect(model.shares()).toMatchObject({ slots: 128, untrusted_slots: 64, other_slots: 0 })
    expect(model.claim(model.distrust(endpointsNamed(50, 'failing too'))).startedIds).toEqual([])
    expect(model.claim(endpointsNamed(100, 'new')).startedIds).toHaveLength(64)
  })

  test('of those 128, retries leave 32 to first attempts', () => {
    const model = openModel()
    const [failing, retries] = [model.distrust(endpointsNamed(100, 'failing')), { is_retry: true }]
    expect(model.shares(retries)).toMatchObject({ slots: 256, other_slots: 96 })
    expect(model.claim(failing, retries).startedIds).toHaveLength(96)
    expect(model.claim(failing, retries).startedIds).toEqual([])
    expect(model.claim(failing).startedIds).toHaveLength(32)
    expect(model.shares()).toMatchObject({ slots: 128, other_slots: 0 })
  })

  test('while 150 endpoints hang, one that was well an hour ago finds room', () => {
    const model = openModel()
    model.trust('well')
    model.wait(3_600_000)
    const hanging = model.distrust(endpointsNamed(150, 'hanging'))
    expect(model.claim(hanging).startedIds).toHaveLength(128)
    model.wait(14_000)
    expect(model.claim(hanging).startedIds).toEqual([])
    const { rooms, trusted_slots } = model.shares()
    expect(rooms).toContainEqual({ endpoint_id: 'well', room: 5, standing: 'trusted' })
    expect(trusted_slots).toBe(128)
    expect(model.claim({ well: 10 }).startedIds).toHaveLength(5)
  })

  test('those that are trusted have all but 32, which others find free', () => {
    const model = openModel()
    for (const name of Object.keys(endpointsNamed(60, 'good'))) model.trust(name)
    model.claim(endpointsNamed(60, 'good'))
    expect(model.lanes.underWay()).toBe(224)
    expect(model.shares()).toMatchObject({ slots: 32, trusted_slots: 0, other_slots: 32 })
    expect(model.claim(endpointsNamed(60, 'new')).startedIds).toHaveLength(32)
    expect(model.shares()).toMatchObject({ slots: 0, trusted_slots: 0, other_slots: 0 })
  })

  test('results that are not written yet take slots, but for the first 256', () => {
    const model = openModel()
    expect(model.shares({ unwritten: 256 })).toEqual(model.shares())
    expect(model.shares({ unwritten: 356 })).toMatchObject({ slots: 156, trusted_slots: 124 })
    expect(model.shares({ unwritten: 456 })).toMatchObject({ slots: 56, other_slots: 56 })
    expect(model.shares({ unwritten: 512 })).toMatchObject({
      slots: 0,
      trusted_slots: 0,
      other_slots: 0,
    })
  })

  test('an endpoint is named while there is something to say of it: as long as it is trusted', () => {
    const model = openModel()
    model.begin('a')
    expect(model.shares().rooms).toEqual([{ endpoint_id: 'a', room: 0, standing: 'new' }])
    model.end(0)
    expect(model.shares().rooms).toEqual([{ endpoint_id: 'a', room: 5, standing: 'trusted' }])
    expect(model.shares({ is_retry: true }).rooms).toMatchObject([{ room: 2 }])
    model.wait(24 * 3_600_000)
    expect(model.shares().rooms).toEqual([{ endpoint_id: 'a', room: 5, standing: 'trusted' }])
    model.begin('a')
    model.end(0, { succeeded: false })
    model.wait(10 * 60_000)
    expect(model.shares().rooms).toEqual([{ endpoint_id: 'a', room: 2, standing: 'other' }])
    model.wait(1)
    expect(model.shares().rooms).toEqual([])
  })
})

describe('what an ended attempt reports', () => {
  test('whether the window was full', () => {
    const model = openModel()
    for (let at = 0; at < 4; at++) model.begin('a')
    expect([model.end(0), model.end(0)]).toMatchObject([{ was_full: true }, { was_full: false }])
  })

  test('the breaker where it opened, opened again or closed, and nothing else', () => {
    const model = openModel()
    const fail = (endpoint_id = 'a') => {
      model.begin(endpoint_id)
      return model.end(0, { succeeded: false }).turned
    }
    expect([fail(), fail(), fail(), fail()]).toEqual([null, null, null, null])
    expect(fail()).toMatchObject({ open_until_ms: model.now() + 30_000, reopen_count: 0 })
    expect(model.lanes.breakers(model.now())).toEqual({ closed: 0, open: 1, half_open: 0 })
    expect(fail()).toBeNull()
    model.wait(30_000)
    expect(model.lanes.breakers(model.now())).toEqual({ closed: 0, open: 0, half_open: 1 })
    expect(fail()).toMatchObject({ open_until_ms: model.now() + 60_000, reopen_count: 1 })
    model.wait(60_000)
    model.begin('a')
    expect(model.end(0).turned).toMatchObject({ open_until_ms: null, changed_ms: model.now() })
    expect(fail('b')).toBeNull()
    expect(model.lanes.breakers(model.now())).toEqual({ closed: 2, open: 0, half_open: 0 })
  })

  test('a breaker that closes in the very millisecond it opened in', () => {
    const model = openModel()
    for (let at = 0; at < 6; at++) model.begin('a')
    for (let at = 0; at < 5; at++) model.end(0, { succeeded: false })
    expect(model.end(0).turned).toMatchObject({ open_until_ms: null })
  })
})

test('what another process saw shuts an endpoint here', () => {
  const model = openModel()
  const open_until_ms = noon_ms + 30_000
  model.lanes.hear('a', { open_until_ms, reopen_count: 0, changed_ms: noon_ms })
  expect(model.shares().rooms).toEqual([{ endpoint_id: 'a', room: 16, standing: 'shut' }])
  model.lanes.hear('a', { ...closedBreaker, changed_ms: noon_ms - 1 })
  expect(model.shares().rooms).toMatchObject([{ standing: 'shut' }])
  model.lanes.hear('a', { ...closedBreaker, changed_ms: noon_ms + 1 })
  model.begin('a')
  expect(model.shares().rooms).toMatchObject([{ standing: 'new' }])
})

test('of very many endpoints those are forgotten that were not used for the longest', () => {
  const model = openModel()
  model.begin('busy')
  for (let at = 0; at < 2_000; at++) {
    if (at === 1_000) model.wait(1)
    model.begin(`e${at}`)
    model.end(1)
  }
  const { rooms } = model.shares()
  const ids = rooms.map(({ endpoint_id }) => endpoint_id)
  expect(ids).toHaveLength(1_001)
  expect(ids[0]).toBe('busy')
  expect(ids.at(-1)).toBe('e1999')
  expect(ids).toContain('e1000')
  expect(ids).not.toContain('e999')
  expect(model.end(0)).toEqual({ was_full: true, turned: null })
})

const endpoints = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((name) => [`${name}1`, `${name}2`])
const anyStep = fc.oneof(
  fc.record({
    waiting: fc.dictionary(fc.constantFrom(...endpoints), fc.integer({ min: 1, max: 100 })),
    is_retry: fc.boolean(),
    unwritten: fc.constantFrom(0, 0, 0, 266, 600),
  }),
  fc.record({ ends: fc.nat(100), which: fc.nat(), succeeded: fc.boolean() }),
  fc.record({ ends: fc.nat(100), which: fc.nat(), succeeded: fc.constant(true) }),
  fc.record({ ms: fc.constantFrom(1, 600, 2_000, 40_000) }),
)

test('whatever begins and ends: never more than 256, and each group its share', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
      const model = openModel()
      for (const step of steps) {
        if ('ms' in step) model.wait(step.ms)
        else if ('ends' in step) {
          for (let ends_left = step.ends; ends_left > 0 && model.under_way.length > 0; ends_left--) {
            model.end(step.which % model.under_way.length, { succeeded: step.succeeded })
          }
        } else {
          const before = [...model.under_way]
          const { offered, startedIds } = model.claim(step.waiting, step)
          const { slots, trusted_slots, untrusted_slots, new_slots, other_slots } = offered
          const standing = (endpointId: string) => roomFor(offered, endpointId).standing
          const isNew = (endpointId: string) => standing(endpointId) === 'new'
          const isOther = (endpointId: string) => /other|shut/.test(standing(endpointId))
          const others = before.filter(({ endpoint_id }) => isOther(endpoint_id)).length
          const freshBefore = before.filter(({ endpoint_id }) => isNew(endpoint_id)).length
          const untrusted = others + freshBefore
          const unwritten = Math.max(0, step.unwritten - 256)
          expect(slots).toBe(Math.max(0, slots_max - before.length - unwritten))
          if (startedIds.length > 0) {
            expect(before.length + unwritten + startedIds.length).toBeLessThanOrEqual(slots_max)
          }
          const more = startedIds.filter(isOther).length
          const most = step.is_retry ? 96 : 128
          if (more > 0) expect(others + more).toBeLessThanOrEqual(most)
          expect(other_slots).toBe(Math.min(slots, Math.max(0, most - others)))
          const fresh = startedIds.filter(isNew).length
          if (fresh + more > 0) expect(untrusted + fresh + more).toBeLessThanOrEqual(192)
          expect(untrusted_slots).toBe(Math.min(slots, Math.max(0, 192 - untrusted)))
          expect(new_slots).toBe(Math.min(slots, Math.max(0, 160 - freshBefore)))
          expect(slots - trusted_slots).toBe(Math.min(slots, Math.max(0, 32 - untrusted)))
        }
        expect(model.lanes.underWay()).toBe(model.under_way.length)
        expect(model.lanes.underWay()).toBeLessThanOrEqual(slots_max)
      }
    }),
  )
})

test('attempts in other cells take slots, too', () => {
  let others = 250
  const lanes = openLanes({ processes: () => 1, probe_ms: 0, elsewhere: () => others })
  const slots = () => lanes.shares({ is_retry: false, unwritten: 0, now_ms: noon_ms }).slots
  expect(slots()).toBe(slots_max - 250)
  others = slots_max + 1
  expect(slots()).toBe(0)
})
