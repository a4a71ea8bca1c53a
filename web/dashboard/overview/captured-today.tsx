// What was captured today, hour by hour, against the same weekday a week ago.

import { scaleLinear } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import type { Overview } from '../client/answers.ts'
import { amountWords } from '../parts/amount.tsx'
import { Plot } from '../parts/plot.tsx'
import { say } from '../words.ts'

const size = { width: 480, height: 150, top: 10, foot: 20 }
const hours = Array.from({ length: 24 }, (_, hour) => hour)

export function CapturedToday({ overview }: { overview: Overview }) {
  const { captured, currency, zone, now } = overview
  const hour_now = Number(
    new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', timeZone: zone }).format(
      new Date(now),
    ),
  )
  const today = sumsOf(captured.today).slice(0, hour_now + 1)
  const before = sumsOf(captured.week_before)
  const sum = today.at(-1) ?? 0
  const words = (amount: number) => amountWords(amount, currency)
  return (
    <Plot
      title={say('captured_today', { amount: words(sum) })}
      note={say('captured_note', { amount: words(before[hour_now] ?? 0), zone })}
      headings={[say('hour'), say('today'), say('week_before')]}
      rows={hours.map((hour) => [
        `${hour}:00`,
        hour <= hour_now ? words(today[hour] ?? 0) : '–',
        words(before[hour] ?? 0),
      ])}
    >
      <Lines today={today} before={before} />
      <p className="legend">
        <span className="key today" /> {say('today')} <span className="key before" />{' '}
        {say('week_before')}
      </p>
    </Plot>
  )
}

/** The sum of all hours up to each. */
function sumsOf(counts: { hour: number; amount: number }[]): number[] {
  let sum = 0
  return hours.map((hour) => {
    sum += counts.find((each) => each.hour === hour)?.amount ?? 0
    return sum
  })
}

function Lines({ today, before }: { today: number[]; before: number[] }) {
  const { width, height, top, foot } = size
  const x = scaleLinear().domain([0, 23]).range([0, width])
  const y = scaleLinear()
    .domain([0, Math.max(1, ...today, ...before)])
    .range([height - foot, top])
  const path = line<number>()
    .x((_, hour) => x(hour))
    .y((sum) => y(sum))
    .curve(curveMonotoneX)
  const ground = area<number>()
    .x((_, hour) => x(hour))
    .y0(height - foot)
    .y1((sum) => y(sum))
    .curve(curveMonotoneX)
  return (
    <svg className="lines" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path className="axis" d={`M0 ${height - foot}H${width}`} />
      <path className="before" d={path(before) ?? ''} />
      <path className="ground" d={ground(today) ?? ''} />
      <path className="today" d={path(today) ?? ''} />
      {[0, 6, 12, 18].map((hour) => (
        <text key={hour} x={x(hour)} y={height - 5}>
          {hour}:00
        </text>
      ))}
    </svg>
  )
}
