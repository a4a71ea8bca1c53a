// How many payments and sessions succeeded, day by day. Both are said by name, since everybody counts differently.

import { scaleLinear } from 'd3-scale'
import { curveMonotoneX, line } from 'd3-shape'
import type { DayCount, Endings } from '../client/answers.ts'
import { Plot } from '../parts/plot.tsx'
import { formatNumber, locale, say } from '../words.ts'

const size = { width: 480, height: 150, top: 10, foot: 20 }
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })

export function SuccessRate({ days, before, zone }: { days: DayCount[]; before: Endings; zone: string }) {
  const payment_rate = rateOf(sum(days, good), sum(days, tried))
  const session_rate = rateOf(
    sum(days, (day) => day.succeeded_sessions),
    sum(days, (day) => day.sessions),
  )
  const rate_before = rateOf(good(before), tried(before))
  return (
    <Plot
      title={say('success_rate', { rate: words(payment_rate) })}
      note={[
        say('success_counts'),
        say('success_note', { rate: words(session_rate), days: days.length, zone }),
        ...(tried(before) > 0 ? [say('success_before', { rate: words(rate_before), days: days.length })] : []),
      ].join(' · ')}
      headings={[say('day'), say('of_payments'), say('of_sessions'), say('nav_payments')]}
      rows={days.map((day) => [
        day.day,
        words(rateOf(good(day), tried(day))),
        words(rateOf(day.succeeded_sessions, day.sessions)),
        formatNumber(tried(day)),
      ])}
    >
      <Rates days={days} />
    </Plot>
  )
}

function Rates({ days }: { days: DayCount[] }) {
  const { width, height, top, foot } = size
  const x = scaleLinear()
    .domain([0, Math.max(1, days.length - 1)])
    .range([0, width])
  const y = scaleLinear()
    .domain([0, 1])
    .range([height - foot, top])
  const path = line<DayCount>()
    .defined((day) => tried(day) > 0)
    .x((_, index) => x(index))
    .y((day) => y(good(day) / tried(day)))
    .curve(curveMonotoneX)
  return (
    <svg className="lines" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <path className="axis" d={`M0 ${y(share)}H${width}`} />
          <text x={0} y={y(share) - 3}>
            {percent.format(share)}
          </text>
        </g>
      ))}
      <path className="today" d={path(days) ?? ''} />
      {days.map((day, index) => {
        const is_alone = ![days[index - 1], days[index + 1]].some((next) => next && tried(next) > 0)
        if (tried(day) === 0 || !is_alone) return null
        // No line leads to a day whose neighbours had no payment.
        return <path key={day.day} className="dot" d={`M${x(index)} ${y(good(day) / tried(day))}h0`} />
      })}
    </svg>
  )
}

function good({ captured, held }: Endings): number {
  return captured + held
}

function tried({ captured, held, declined, failed }: Endings): number {
  return captured + held + declined + failed
}

function sum(days: DayCount[], of: (day: DayCount) => number): number {
  return days.reduce((total, day) => total + of(day), 0)
}

/** Null where nothing was tried. */
function rateOf(count: number, all: number): number | null {
  return all === 0 ? null : count / all
}

function words(rate: number | null): string {
  return rate === null ? '–' : percent.format(rate)
}
