// How many deliveries a second the engine makes of a backlog, against undici's bare `request` posting the same to the same
// receiver, turn by turn.

import type { BareOrder, BareSetting } from './deliver-bare.ts'
import { startChild } from './deliver-child.ts'
import type { Statements } from './deliver-engine.ts'
import { commitMany, makePayments, newSeries } from './deliver-events.ts'
import { arrivals, drained, logIn, type Stage } from './deliver-stage.ts'
import { median, type Table, whole } from './report.ts'

/** As many as the engine has under way at most. */
const concurrency = 256
const target = 0.5

type Turn = { engine_rate: number; bare_rate: number; statements: number }

export async function deliverFlatOut(
  stage: Stage,
  { turns, count }: { turns: number; count: number },
): Promise<Table[]> {
  const { data_dir, ports } = stage
  const setting: BareSetting = { ports: ports.answering, concurrency }
  const bare = await startChild<BareOrder>('deliver-bare.ts', setting, logIn(data_dir))
  try {
    const turn = async (): Promise<Turn> => {
      const { rate, statements } = await engineTurn(stage, count)
      const bare_rate = await rateOf(stage, count, async () => {
        await bare.ask({ series: newSeries(stage.answering), count })
      })
      return { engine_rate: rate, bare_rate, statements }
    }
    // The first turn warms both sides up.
    await turn()
    const measured: Turn[] = []
    while (measured.length < turns) measured.push(await turn())
    return [tableOf(measured, count)]
  } finally {
    await bare.stop()
  }
}

/** The loop begins when the backlog is there, so neither side has any connection yet. */
async function engineTurn(stage: Stage, count: number) {
  const { engine, sql, answering } = stage
  const series = newSeries(answering)
  await makePayments(sql, series, count)
  await commitMany(sql, series, count)
  const rate = await rateOf(stage, count, async () => {
    await engine.ask({ order: 'start' })
  })
  await drained(stage)
  const { claims, settles, others } = await engine.ask<Statements>({ order: 'stop' })
  return { rate, statements: (claims + settles + others) / count }
}

/** Of deliveries, a second, between the first and the last at the receiver. */
async function rateOf(stage: Stage, count: number, work: () => Promise<void>): Promise<number> {
  const { receiver } = stage
  await receiver.ask({ order: 'note', count })
  await work()
  await receiver.ask({ order: 'await', count })
  const at_ms = (await arrivals(stage)).sort()
  return (count * 1000) / (at_ms.at(-1)! - at_ms[0]!)
}

function tableOf(turns: Turn[], count: number): Table {
  const ratios = turns.map(({ engine_rate, bare_rate }) => engine_rate / bare_rate)
  const engine_rate = median(turns.map((each) => each.engine_rate))
  const bare_rate = median(turns.map((each) => each.bare_rate))
  return {
    name: 'deliver-flat-out',
    headings: ['deliveries', 'engine /s', 'bare undici /s', 'ratio', 'lowest', 'highest', 'target', 'statements each'],
    rows: [
      [
        `a backlog of ${whole(count)}`,
        whole(engine_rate),
        whole(bare_rate),
        median(ratios).toFixed(2),
        Math.min(...ratios).toFixed(2),
        Math.max(...ratios).toFixed(2),
        `≥ ${target.toFixed(1)}`,
        median(turns.map(({ statements }) => statements)).toFixed(3),
      ],
    ],
    notes: [
      `Medians of ${turns.length} turns on each side, at most ${concurrency} posts at once; both rates are counted at the receiver, which has its share of the cores.`,
    ],
  }
}
