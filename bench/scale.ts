// How many machines so many checkouts a second take: an event-driven simulation that begins with what a checkout was measured
// to cost. docs/scale.md is the plan that uses it.

import { type Table, whole } from './report.ts'
import { measureFigures } from './scale-costs.ts'
import { distanceTable, fallTable } from './scale-faults.ts'
import { type Figures, keepFigures, readFigures, step_names } from './scale-figures.ts'
import { bytesTable, connectionsTable, machinesTable } from './scale-plans.ts'
import { validationTable } from './scale-validation.ts'

/** The short form measures nothing: it shows what was kept, and how well the simulation fits it. */
export async function scale({ quick }: { quick: boolean }): Promise<Table[]> {
  if (!quick) keepFigures(await measureFigures())
  const figures = readFigures()
  return [costsTable(figures), validationTable(figures), ...(quick ? [] : plansOf(figures))]
}

function plansOf(figures: Figures): Table[] {
  return [
    machinesTable(figures),
    connectionsTable(figures),
    fallTable(figures),
    distanceTable(figures),
    bytesTable(figures),
  ]
}

function costsTable({ steps, loads, at_rest, ...figures }: Figures): Table {
  const rows = step_names.map((name) => {
    const { service_ms, postgresql_ms, statements, flushes, log_bytes } = steps[name]
    const times = [service_ms, postgresql_ms].map((ms) => ms.toFixed(2))
    return [name, ...times, String(statements), String(flushes), whole(log_bytes)]
  })
  const sum = (of: (name: (typeof step_names)[number]) => number) =>
    step_names.reduce((total, name) => total + of(name), 0)
  const all = [
    'all four, each by itself, eight at once',
    sum((name) => steps[name].service_ms).toFixed(2),
    sum((name) => steps[name].postgresql_ms).toFixed(2),
    String(sum((name) => steps[name].statements)),
    String(sum((name) => steps[name].flushes)),
    whole(sum((name) => steps[name].log_bytes)),
  ]
  const whole_rows = loads.map(({ per_second, at_once, service_ms, postgresql_ms }) => [
    `whole checkouts, ${per_second === null ? `${at_once} at once` : `${per_second} a second`}`,
    ...[service_ms, postgresql_ms].map((ms) => ms.toFixed(2)),
    ...['', '', ''],
  ])
  const rest = [at_rest.service_cores, at_rest.postgresql_cores]
  const notes = [
    `A step’s statements that wait for the disk are its flushes. Log and disk of a whole checkout, with images of pages and all jobs: ${whole(figures.log_bytes)} and ${whole(figures.disk_bytes)} bytes. Until 8 KB are on the disk: ${figures.flush_ms.p50.toFixed(2)} ms at p50, ${figures.flush_ms.mean.toFixed(2)} in the mean, ${figures.flush_ms.p99.toFixed(2)} at p99. At rest a process has ${rest[0]} cores, its PostgreSQL ${rest[1]}, with some ${at_rest.transactions_per_second} transactions a second.`,
  ]
  return {
    name: 'scale-costs',
    headings: ['', 'service, ms of CPU', 'PostgreSQL, ms of CPU', 'statements', 'flushes', 'log'],
    rows: [...rows, all, ...whole_rows],
    notes,
  }
}
