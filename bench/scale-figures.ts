// What the simulation begins with: what a checkout costs, as scale-costs.ts measured and kept it.

import { readFileSync, writeFileSync } from 'node:fs'

export const step_names = ['create', 'card reference', 'authenticate', 'confirm'] as const
export type StepName = (typeof step_names)[number]

/** What one request costs. */
export type StepCost = {
  service_ms: number
  postgresql_ms: number
  statements: number
  /** Statements that wait until their part of the log is on the disk. */
  flushes: number
  log_bytes: number
}

/** Whole checkouts of one load: what each cost, jobs included, and how long it took. */
export type LoadCost = {
  /** They arrive at this rate, or as many shoppers as `at_once` begin anew when they have paid. */
  per_second: number | null
  at_once: number | null
  paid_per_second: number
  p50_ms: number
  p99_ms: number
  service_ms: number
  postgresql_ms: number
  generator_ms: number
  /** Cores that anything else on the machine had meanwhile. */
  other_cores: number
}

export type Figures = {
  /** The day and the machine. */
  measured: string
  steps: Record<StepName, StepCost>
  loads: LoadCost[]
  /** Of a whole checkout, images of pages and the work of jobs included. */
  log_bytes: number
  /** What tables and indexes grow by. */
  disk_bytes: number
  /** A process that nobody asks anything, and its PostgreSQL. */
  at_rest: { service_cores: number; postgresql_cores: number; transactions_per_second: number }
  /** Until 8 KB are on the disk. */
  flush_ms: { p50: number; mean: number; p99: number }
}

const file = new URL('scale.json', import.meta.url)

export function readFigures(): Figures {
  return JSON.parse(readFileSync(file, 'utf8')) as Figures
}

export function keepFigures(figures: Figures): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}
