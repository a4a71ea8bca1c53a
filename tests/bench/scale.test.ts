// The simulation of bench/scale.ts against what is known without it: formulas of queueing, and what a seed has to decide.

import { expect, test } from 'vitest'
import type { Plan } from '../../bench/scale-checkout.ts'
import { chanceOf, openClock, openHeap } from '../../bench/scale-clock.ts'
import { isPaid, type Offered, simulate } from '../../bench/scale-load.ts'
import { openCores, openLogDevice, openThread } from '../../bench/scale-stations.ts'

test('what is due first happens first, and of what is due at once what came first', () => {
  const heap = openHeap<string>()
  for (const [key, item] of [
    [3, 'c'],
    [1, 'a'],
    [2, 'b'],
    [1, 'a, too'],
    [0, 'first'],
  ] as const) {
    heap.push(key, item)
  }
  const items = Array.from({ length: 5 }, () => heap.pop())
  expect(items).toEqual(['first', 'a', 'a, too', 'b', 'c'])
  expect(heap.least()).toBe(Number.POSITIVE_INFINITY)
})

/** The mean time in an M/M/c queue, by Erlang's formula, in the time of one service. */
function meanTime(servers: number, use: number): number {
  const offered = servers * use
  let term = 1
  let sum = 1
  for (let n = 1; n < servers; n += 1) {
    term *= offered / n
    sum += term
  }
  const all_busy = (term * offered) / servers / (1 - use)
  return 1 + all_busy / (sum + all_busy) / servers / (1 - use)
}

/** Work of 1 ms in the mean that arrives by Poisson, and the mean of how long it stays. */
function stayOn(
  open: (clock: ReturnType<typeof openClock>) => { run(work_ms: number, done: () => void): void },
  per_ms: number,
): number {
  const clock = openClock()
  const chance = chanceOf(7)
  const station = open(clock)
  const count = 200_000
  let stayed_ms = 0
  const arrive = (left: number): void => {
    if (left === 0) return
    const from_ms = clock.now_ms()
    station.run(chance.exponential(1), () => {
      stayed_ms += clock.now_ms() - from_ms
    })
    clock.after(chance.exponential(1 / per_ms), () => arrive(left - 1))
  }
  arrive(count)
  clock.run()
  return stayed_ms / count
}

// Where work is exponential, the mean is the same whether cores are shared out or given one after another.
test.each([
  [1, 0.5],
  [2, 0.5],
  [2, 0.8],
  [8, 0.6],
  [8, 0.9],
])('%d cores, of which %d is used, are an M/M/c queue', (cores, use) => {
  const mean_ms = stayOn((clock) => openCores(clock, cores), cores * use)
  expect(Math.abs(mean_ms / meanTime(cores, use) - 1)).toBeLessThan(0.04)
})

test('a thread is an M/M/1 queue, however many cores there are', () => {
  const mean_ms = stayOn((clock) => openThread(openCores(clock, 8)), 0.7)
  expect(Math.abs(mean_ms / meanTime(1, 0.7) - 1)).toBeLessThan(0.04)
})

test('who comes while the log is flushed waits for the next flush, which is for all of them', () => {
  const clock = openClock()
  const log = openLogDevice(clock, () => 10)
  const ended: number[] = []
  for (const at_ms of [0, 1, 5, 9, 31]) {
    clock.after(at_ms, () => log.flush(() => ended.push(clock.now_ms())))
  }
  clock.run()
  expect(ended).toEqual([10, 20, 20, 20, 41])
  expect(log.busy_ms()).toBe(30)
})

const plan: Plan = {
  checkout: [
    { on: 'proxy' },
    { on: 'service', work_ms: 1 },
    { on: 'database', work_ms: 1, flushes: true },
    { on: 'vendor', wait_ms: 50 },
    { on: 'service', work_ms: 1 },
    { on: 'database', work_ms: 1, flushes: true },
    { on: 'service', work_ms: 1 },
  ],
  after: [],
}
const offered: Offered = {
  seed: 1,
  plan,
  seconds: 20,
  warm_seconds: 0,
  per_second: 400,
  arrivals: 'poisson',
  shape: {
    services: { machines: 1, cores: 4, processes_per_machine: 4 },
    databases: { machines: 4, cores: 2, standby_round_trip_ms: 0.3 },
    cells: { count: 8, connections: 2 },
    is_one_machine: false,
    round_trip_ms: 0.3,
    flush_ms: 0.5,
  },
}

test('the same seed has the same result, and another seed nearly', () => {
  const [one, same, other] = [1, 1, 2].map((seed) => simulate({ ...offered, seed }))
  expect(same).toEqual(one)
  expect(other!.p99_ms).not.toBe(one!.p99_ms)
  expect(Math.abs(other!.p50_ms / one!.p50_ms - 1)).toBeLessThan(0.05)
})

test('cores are used as much as the work that came, and bank and acquirer do not count', () => {
  const { service_use, database_use, p50_ms, paid_per_second } = simulate(offered)
  expect(Math.abs(paid_per_second - 400)).toBeLessThan(15)
  expect(Math.abs(service_use - (400 * 3) / 1000 / 4)).toBeLessThan(0.02)
  expect(Math.abs(database_use - (400 * 2) / 1000 / 8)).toBeLessThan(0.02)
  // Five pieces of work of 1 ms, two commits on two disks each, the ways between.
  expect(p50_ms).toBeGreaterThan(5)
  expect(p50_ms).toBeLessThan(20)
})

test('a machine that dies stops its merchants, and nobody else', () => {
  const fall = { at_s: 5, for_s: 5 }
  const { taken } = simulate({ ...offered, fall })
  const refused = taken.filter((each) => !isPaid(each))
  expect(refused.length).toBeGreaterThan(400)
  // Of eight cells the first and the fifth are on the first of four machines.
  expect(new Set(refused.map(({ cell }) => cell))).toEqual(new Set([0, 4]))
  const within = taken.filter(({ cell, began_ms }) => cell % 4 === 0 && began_ms >= 5_000 && began_ms < 9_800)
  expect(within.filter(isPaid)).toEqual([])
  const later = taken.filter(({ cell, began_ms }) => cell % 4 === 0 && began_ms > 10_000)
  expect(later.every(isPaid)).toBe(true)
})

test('who is refused comes again, and is paid once the standby has taken over', () => {
  const fall = { at_s: 5, for_s: 5 }
  const { taken } = simulate({ ...offered, fall, again_ms: 1_000 })
  const paid = taken.filter(isPaid)
  const first = taken.filter(({ refusals }) => refusals === 0)
  expect(paid.length).toBe(first.length)
})
