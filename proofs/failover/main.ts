// `npm run failover`: the primary dies under load, once with synchronous replication and once without. Exits 1 where a fact is broken,
// where something was lost that a synchronous commit had acknowledged, or where writes go on later than they should.

import { tmpdir } from 'node:os'
import { count, measure, oneOf, readAsked, seed } from '../asked.ts'
import type { Diary } from '../storm/diary.ts'
import { openPair } from '../storm/pair.ts'
import type { StormReport } from '../storm/report.ts'
import { runStorm } from '../storm/storm.ts'
import { type Figures, figuresOf } from './figures.ts'
import { openPatroni } from './patroni.ts'
import { findPrograms } from './programs.ts'

const modes = ['sync', 'async'] as const
type Mode = (typeof modes)[number]

const asked = readAsked('failover', {
  seed: seed(),
  minutes: measure(1.5),
  shoppers: count(8),
  by: oneOf(['patroni', 'servers'] as const),
  mode: oneOf(modes),
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Of the service's and HAProxy's own, beyond what the promotion takes. */
const patience_ms = 2_000

const found = findPrograms()
if (asked.by === 'patroni' && found.missing) {
  throw new Error(`Not installed: ${found.missing.join(', ')}. Debian has them.`)
}
const by_patroni = asked.by !== 'servers' && !found.missing
if (!by_patroni && asked.by === null) {
  say(`Without ${found.missing?.join(', ')} two servers and pg_promote have to do.`)
}
// Servers end with the proof.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const log_file = `${tmpdir()}/ripper-failover-${process.pid}.log`
const rows: { mode: Mode; figures: Figures; report: StormReport }[] = []
say(`seed ${asked.seed}, ${by_patroni ? 'Patroni, etcd and HAProxy' : 'two servers'}`)
for (const mode of asked.mode ? [asked.mode] : modes) rows.push(await failUnder(mode))
say('')
for (const line of tableOf(rows)) say(line)
for (const { report } of rows) {
  for (const each of report.lost) say(`lost: ${each}`)
  for (const fault of report.faults) say(`broken: ${fault.slice(0, 600)}`)
}
const broken = rows.filter(isBroken)
process.exitCode = broken.length === 0 ? 0 : 1

async function failUnder(mode: Mode) {
  say(`${mode}:`)
  let diary: Diary | null = null
  const report = await runStorm({
    seed: asked.seed,
    seconds: asked.minutes * 60,
    shoppers: asked.shoppers,
    hurries: true,
    failover: mode,
    only: 'nothing',
    tell: say,
    openServers: by_patroni ? (is_synchronous) => openPatroni(programsOf(), log_file, is_synchronous) : openPair,
    async lookAt(checked) {
      diary = checked.diary
    },
  })
  const row = { mode, report, figures: figuresOf(diary!.calls, report.failed_over!) }
  say(`at rest after ${(report.rest_ms / 1000).toFixed(1)} s`)
  return row
}

function programsOf() {
  if (found.missing) throw new Error(`Not installed: ${found.missing.join(', ')}`)
  return found.programs
}

function isBroken({ mode, report, figures }: (typeof rows)[number]): boolean {
  const has_lost = mode === 'sync' && report.lost.length > 0
  return report.faults.length > 0 || has_lost || figures.after_promotion_ms > patience_ms
}

function tableOf(all: typeof rows): string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return [
    '| replication | writes acknowledged | lost | 503, slowest | no answer | until promoted | then until a write |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...all.map(({ mode, report, figures: f }) =>
      [
        ...['', mode, f.acknowledged, report.lost.length],
        `${f.unavailable}, ${Math.round(f.slowest_ms)} ms`,
        ...[f.unanswered, seconds(f.promotion_ms), seconds(f.after_promotion_ms), ''],
      ]
        .join(' | ')
        .trim(),
    ),
  ]
}
