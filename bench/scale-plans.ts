// How many machines so many checkouts a second take, by the simulation: nobody here has them.

import { type Table, whole } from './report.ts'
import { type Costs, planOf } from './scale-checkout.ts'
import type { Shape } from './scale-cluster.ts'
import type { Figures } from './scale-figures.ts'
import { type Offered, type Outcome, simulate } from './scale-load.ts'
import { seed } from './scale-validation.ts'

/** Of a checkout's own part, which is all but bank and acquirer. */
const p99_limit_ms = 50
/** Beyond it the measured times are much longer than the simulated ones, so no plan goes there. */
const use_limit = 0.6
const cores = 8
const connections_of_cell = 4
const day_s = 86_400

/** Assumed, not measured: two machines of one site, a good device for the log, and a vendor's answer. */
const round_trip_ms = 0.3
const flush_ms = 0.5
const vendor_ms = 150

/** A checkout costs more where cores are not all busy, so a plan counts with what it costs at this rate on two of them. */
const planning_rate = 200
/** With bank and acquirer elsewhere, by TLS, against both inside: the table `elsewhere` of results.json, of 2026-11-26. */
const live = { service: 2.42 / 2.27, postgresql: 2.68 / 2.59 }

export type Size = {
  /** Of services. */
  machines: number
  databases: number
  cells: number
  /** Of how many processes jobs and deliveries look into the cells; of all where it is null, as the service does it. */
  looking: number | null
}

export function costsOf({ loads, steps }: Figures): Costs {
  const load = loads.find(({ per_second }) => per_second === planning_rate)!
  const service_ms = load.service_ms * live.service
  const postgresql_ms = load.postgresql_ms * live.postgresql
  const statements = Object.values(steps).reduce((sum, step) => sum + step.statements, 0)
  // At 500 a second: 0.93 statements each, of which the client has 0.1 ms, and 5 170 a second fill one core flat out.
  const delivery = {
    service_ms: 0.93 * 0.1 + 1000 / 5_170,
    postgresql_ms: (0.93 * postgresql_ms) / statements,
  }
  return { service_ms, postgresql_ms, generator_ms: 0, vendor_ms, delivery }
}

export function offeredAt(per_second: number, size: Size, figures: Figures): Offered {
  const { at_rest } = figures
  const shape: Shape = {
    services: { machines: size.machines, cores, processes_per_machine: cores },
    databases: { machines: size.databases, cores, standby_round_trip_ms: round_trip_ms },
    cells: { count: size.cells, connections: connections_of_cell },
    is_one_machine: false,
    round_trip_ms,
    flush_ms,
  }
  // What a process does at rest, as a look into each cell, some ten times a second.
  const every_ms = 100
  const jobs = {
    every_ms,
    processes: size.looking ?? size.machines * cores,
    service_ms: at_rest.service_cores * every_ms,
    postgresql_ms: at_rest.postgresql_cores * every_ms,
  }
  // Some twenty thousand checkouts say enough of a p99.
  const seconds = Math.max(2, 20_000 / per_second)
  const load = { per_second, arrivals: 'poisson', seconds, warm_seconds: 0.5 } as const
  return { seed, plan: planOf(figures, costsOf(figures)), shape, ...load, jobs }
}

type Plan = Size & { all: Outcome; one_away: Outcome }
type Asked = Pick<Size, 'cells' | 'looking'> & { per_second: number }
const plans = new Map<string, Plan>()

/** The least machines with which all holds while one of those of services is away. */
export function planFor(asked: Asked, figures: Figures): Plan {
  const { per_second, cells, looking } = asked
  const name = JSON.stringify(asked)
  const known = plans.get(name)
  if (known) return known
  let { machines: left, databases } = leastFor(asked, figures)
  for (;;) {
    const size = { machines: left, databases, cells, looking }
    const one_away = simulate(offeredAt(per_second, size, figures))
    const { p99_ms, service_use, database_use } = one_away
    // Where hardly anything waits for a core, more machines would not make it faster.
    const is_slow = p99_ms > p99_limit_ms && Math.max(service_use, database_use) > use_limit / 2
    if (service_use > use_limit || (is_slow && service_use > database_use)) left += 1
    else if (database_use > use_limit || is_slow) databases += 1
    else {
      const whole_size = { ...size, machines: left + 1 }
      const all = simulate(offeredAt(per_second, whole_size, figures))
      const plan = { ...whole_size, one_away, all }
      plans.set(name, plan)
      return plan
    }
  }
}

/** By the work alone: whether anybody waits too long, the simulation says. */
function leastFor({ per_second, cells, looking }: Asked, figures: Figures): Pick<Size, 'machines' | 'databases'> {
  const { service_ms, postgresql_ms, delivery } = costsOf(figures)
  const { service_cores, postgresql_cores } = figures.at_rest
  // Where all processes look, each has that much less for checkouts.
  const free = looking === null ? use_limit - cells * service_cores : use_limit
  const paying_cores = (per_second * (service_ms + delivery!.service_ms)) / 1000
  const machines = Math.ceil(paying_cores / cores / free)
  const looks = (looking ?? machines * cores) * cells * postgresql_cores
  const asked_cores = (per_second * (postgresql_ms + delivery!.postgresql_ms)) / 1000 + looks
  return { machines, databases: Math.ceil(asked_cores / cores / use_limit) }
}

/** One PostgreSQL needs no cells; several have 32 where nobody says otherwise. */
const planned: Asked[] = [
  { per_second: 100, cells: 1, looking: null },
  { per_second: 1_000, cells: 1, looking: null },
  { per_second: 10_000, cells: 32, looking: null },
]
/** What the number of cells changes, and what it would be if two processes looked for all. */
const compared: Asked[] = [
  { per_second: 1_000, cells: 32, looking: null },
  { per_second: 10_000, cells: 16, looking: null },
  { per_second: 10_000, cells: 32, looking: 2 },
]

export function machinesTable(figures: Figures): Table {
  const rows = [...planned, ...compared].map((asked) => {
    const { machines, databases, all, one_away } = planFor(asked, figures)
    const times = ({ p50_ms, p99_ms }: Outcome) => [p50_ms.toFixed(1), p99_ms.toFixed(1)]
    return [
      whole(asked.per_second),
      ...[String(asked.cells), String(asked.looking ?? 'all')],
      ...[machines, databases, databases, machines + 2 * databases].map(String),
      ...[all.service_use, all.database_use, all.log_use].map(percent),
      ...[...times(all), percent(one_away.service_use), ...times(one_away)],
    ]
  })
  const headings = [
    ...['checkouts a second', 'cells', 'processes that look into them'],
    ...['service machines', 'databases', 'standbys', 'in all'],
    ...['services in use', 'fullest database in use', 'its log device in use'],
    ...['p50 ms', 'p99 ms', 'one service machine away: in use', 'p50 ms', 'p99 ms'],
  ]
  const notes = [
    `Simulated. Machines of ${cores} cores, each as fast as one of the measured machine; ${cores} processes on each of the services’. Times are of a checkout’s own part, without bank and acquirer. The limits while one service machine is away: p99 ${p99_limit_ms} ms, and ${percent(use_limit)} of the cores in use. Arrivals by Poisson; ${round_trip_ms} ms there and back between two machines, and the same to a standby; ${flush_ms} ms in the mean until a log is on the disk of a database or of its standby; ${vendor_ms} ms in the mean for each answer of bank and acquirer; an event delivered for each payment. To look into a cell costs a process what it costs it at rest.`,
  ]
  return { name: 'scale', headings, rows, notes }
}

export function connectionsTable(figures: Figures): Table {
  const rows = planned.slice(1).flatMap((asked) => {
    const size = planFor(asked, figures)
    return [1, 2, 4, 8].map((count) => {
      const offered = offeredAt(asked.per_second, size, figures)
      offered.shape.cells.connections = count
      const { p50_ms, p99_ms } = simulate(offered)
      const processes = size.machines * cores
      const fullest = Math.ceil(size.cells / size.databases)
      return [
        ...[whole(asked.per_second), String(processes), String(size.cells), String(size.databases)],
        ...[count, count * size.cells, count * processes * fullest].map(whole),
        ...[p50_ms.toFixed(1), p99_ms.toFixed(1)],
      ]
    })
  })
  const headings = [
    ...['checkouts a second', 'processes', 'cells', 'databases'],
    ...['connections of a process to a cell', 'of a process', 'at the fullest database'],
    ...['p50 ms', 'p99 ms'],
  ]
  const notes = ['Simulated, on the machines of the table before.']
  return { name: 'scale-connections', headings, rows, notes }
}

export function bytesTable(figures: Figures): Table {
  const { log_bytes, disk_bytes } = figures
  const rows = planned.map((asked) => {
    const { per_second } = asked
    const { databases } = planFor(asked, figures)
    const log_mb = (per_second * log_bytes) / 1e6
    const disk_gb = (per_second * disk_bytes * day_s) / 1e9
    return [
      ...[whole(per_second), String(databases), log_mb.toFixed(1), (log_mb / databases).toFixed(1)],
      ...[whole((log_mb * day_s) / 1000), whole(disk_gb), whole(disk_gb * 30)],
      whole((disk_gb * 30) / databases),
    ]
  })
  const headings = [
    ...['checkouts a second, all day', 'databases', 'log, MB a second', 'of a database'],
    ...['log, GB a day', 'tables and indexes, GB a day', 'GB in 30 days', 'of a database'],
  ]
  const notes = ['Computed: the bytes of a whole checkout, times the rate.']
  return { name: 'scale-bytes', headings, rows, notes }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
