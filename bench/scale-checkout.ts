// A checkout as the simulation sees it: what its requests do one after another, and how long that takes on a cluster.

import type { Cluster, Parts, Process } from './scale-cluster.ts'
import { type Figures, step_names } from './scale-figures.ts'

/** All times are means; work on a core is drawn anew each time. */
export type Step =
  | { on: 'generator'; work_ms: number }
  /** A request arrives, at whichever process. */
  | { on: 'proxy' }
  | { on: 'service'; work_ms: number }
  | { on: 'database'; work_ms: number; flushes: boolean }
  /** Bank or acquirer. */
  | { on: 'vendor'; wait_ms: number }

export type Plan = {
  checkout: Step[]
  /** Once it is paid, while nobody waits. */
  after: Step[]
}

export type Costs = {
  /** A whole checkout; its requests have their shares by what was measured of each. */
  service_ms: number
  postgresql_ms: number
  generator_ms: number
  /** The mean of one call to bank or acquirer; 0 where both are simulated in the service. */
  vendor_ms: number
  /** Nothing where no endpoint is told. */
  delivery: { service_ms: number; postgresql_ms: number } | null
}

/** Bank and acquirer are asked between the statement that says so and the one that has the answer. */
const vendor_calls: Record<string, { after_statement: number; calls: number }> = {
  authenticate: { after_statement: 2, calls: 2 },
  confirm: { after_statement: 2, calls: 1 },
}

export function planOf({ steps }: Figures, costs: Costs): Plan {
  const all = step_names.map((name) => ({ name, ...steps[name] }))
  const sum = (of: (step: (typeof all)[number]) => number) => all.reduce((total, step) => total + of(step), 0)
  const service_scale = costs.service_ms / sum(({ service_ms }) => service_ms)
  const database_scale = costs.postgresql_ms / sum(({ postgresql_ms }) => postgresql_ms)
  const checkout = all.flatMap(({ name, ...step }): Step[] => {
    const calls = vendor_calls[name]
    // The simulated acquirer keeps its books by a statement of the confirm, which a real one does elsewhere.
    const books = costs.vendor_ms > 0 && name === 'confirm' ? 1 : 0
    const statements = step.statements - books
    const flushes = step.flushes - books
    const away = costs.vendor_ms > 0 && calls ? calls.calls : 0
    // Of a request only the whole was measured: each piece between two waits, and each statement, has an equal share.
    const piece: Step = {
      on: 'service',
      work_ms: (step.service_ms * service_scale) / (statements + away + 1),
    }
    const waits = Array.from({ length: statements }, (_, at): Step[] => {
      const work_ms = (step.postgresql_ms * database_scale) / statements
      // Reads come first.
      const statement: Step = { on: 'database', work_ms, flushes: at >= statements - flushes }
      const called = at + 1 === calls?.after_statement ? away : 0
      return [statement, ...Array<Step>(called).fill({ on: 'vendor', wait_ms: costs.vendor_ms })]
    }).flat()
    const sent: Step[] = [{ on: 'generator', work_ms: costs.generator_ms / step_names.length }, { on: 'proxy' }]
    return [...sent, piece, ...waits.flatMap((wait) => [wait, piece])]
  })
  const { delivery } = costs
  const after: Step[] = delivery
    ? [
        { on: 'service', work_ms: delivery.service_ms },
        { on: 'database', work_ms: delivery.postgresql_ms, flushes: true },
      ]
    : []
  return { checkout, after }
}

export type Ending = { is_paid: boolean; vendor_ms: number }

/** Takes the steps on the cluster, for a merchant of this cell. */
export function take(
  steps: Step[],
  { cluster, cell, parts }: { cluster: Cluster; cell: number; parts: Parts },
  done: (ending: Ending) => void,
): void {
  const { clock, chance } = parts
  // Several proxies share the requests out, and none knows of the others.
  const anyProcess = () => cluster.processes[chance.below(cluster.processes.length)]!
  let process: Process = anyProcess()
  let vendor_ms = 0
  const go = (at: number): void => {
    const step = steps[at]
    const next = () => go(at + 1)
    switch (step?.on) {
      case undefined:
        done({ is_paid: true, vendor_ms })
        break
      case 'generator':
        if (cluster.generator) cluster.generator.run(step.work_ms, next)
        else next()
        break
      case 'proxy':
        process = anyProcess()
        next()
        break
      case 'service':
        process.thread.run(chance.exponential(step.work_ms), next)
        break
      case 'database': {
        const statement = { work_ms: chance.exponential(step.work_ms), flushes: step.flushes }
        process.connections[cell]!(statement, (is_answered) => {
          if (is_answered) next()
          else done({ is_paid: false, vendor_ms })
        })
        break
      }
      case 'vendor': {
        const wait_ms = chance.exponential(step.wait_ms)
        vendor_ms += wait_ms
        clock.after(wait_ms, next)
      }
    }
  }
  go(0)
}
