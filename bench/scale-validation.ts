// Does the simulation say what was measured? Whole checkouts on two cores, simulated beside the loads of scale.json, and beside
// the table of whole checkouts in results.json.

import { readResult, type Table } from './report.ts'
import { planOf } from './scale-checkout.ts'
import type { Shape } from './scale-cluster.ts'
import type { Figures, LoadCost } from './scale-figures.ts'
import { type Offered, simulate } from './scale-load.ts'

export const seed = 20261126

type Timed = Pick<LoadCost, 'per_second' | 'at_once' | 'paid_per_second' | 'p50_ms' | 'p99_ms'>

export function validationTable(figures: Figures): Table {
  const { loads } = figures
  const own = loads.map((load) => ['with its costs', load, load] as const)
  // What else the machine did is not known of these, and a checkout's costs are those of the load nearest to it.
  const kept = readMeasured('checkout').map((timed) => {
    return ['the table', timed, { ...nearest(timed, loads), other_cores: 0 }] as const
  })
  const rows = [...own, ...kept].map(([which, timed, load]) => {
    const { paid_per_second, p50_ms, p99_ms, database_use } = simulate(offeredOf(timed, load, figures))
    const pairs = [
      [timed.paid_per_second, paid_per_second, 0],
      [timed.p50_ms, p50_ms, 1],
      [timed.p99_ms, p99_ms, 1],
    ] as const
    return [
      which,
      timed.per_second === null ? `${timed.at_once} at once` : `${timed.per_second} arrive a second`,
      ...pairs.flatMap(([then, now, digits]) => [then.toFixed(digits), now.toFixed(digits)]),
      `${(database_use * 100).toFixed(0)} %`,
    ]
  })
  const both = (what: string) => [`${what}, measured`, 'simulated']
  const headings = [
    ...['measured', 'whole checkouts'],
    ...[...both('paid /s'), ...both('p50 ms'), ...both('p99 ms'), 'cores in use'],
  ]
  const notes = [
    'One service, PostgreSQL and the generator share two cores. *With its costs*: a load of 4 s, simulated with what its checkouts cost and what else the machine did meanwhile. *The table*: that of whole checkouts above, of another hour, with the costs of the load nearest to it and nothing else on the machine.',
  ]
  return { name: 'scale-validation', headings, rows, notes }
}

function nearest({ per_second }: Timed, loads: LoadCost[]): LoadCost {
  const gap = (load: LoadCost) => Math.abs((load.per_second ?? 400) - (per_second ?? 400))
  return loads.reduce((best, load) => (gap(load) < gap(best) ? load : best))
}

function offeredOf({ per_second, at_once }: Timed, load: LoadCost, figures: Figures): Offered {
  const { service_ms, postgresql_ms, generator_ms, other_cores } = load
  const costs = { service_ms, postgresql_ms, generator_ms, vendor_ms: 0, delivery: null }
  const plan = planOf(figures, costs)
  const common = { seed, plan, shape: twoCores(figures), seconds: 15, other_cores }
  return per_second === null
    ? { ...common, warm_seconds: 2, at_once: at_once! }
    : { ...common, warm_seconds: 0, per_second, arrivals: 'even' }
}

function twoCores({ flush_ms }: Figures): Shape {
  return {
    services: { machines: 1, cores: 2, processes_per_machine: 1 },
    databases: { machines: 1, cores: 2, standby_round_trip_ms: null },
    cells: { count: 1, connections: 8 },
    is_one_machine: true,
    round_trip_ms: 0,
    flush_ms: flush_ms.mean,
  }
}

function readMeasured(name: string): Timed[] {
  return readResult(name).rows.map(([row, paid, p50, p99]) => {
    const number = (pattern: RegExp) => {
      const digits = pattern.exec(row!)
      return digits && Number(digits[0])
    }
    return {
      per_second: number(/^\d+/),
      at_once: number(/\d+(?= at once)/),
      paid_per_second: Number(paid),
      p50_ms: Number(p50),
      p99_ms: Number(p99),
    }
  })
}
