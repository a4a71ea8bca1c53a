// What was captured and refunded, in each currency: today against the same weekday a week ago, and in the span against the one
// before it.

import { scaleLinear } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import type { Overview } from '../client/answers.ts'
import { amountWords } from '../parts/amount.tsx'
import { Plot } from '../parts/plot.tsx'
import { ScrollPlace } from '../parts/scroll-place.tsx'
import { locale, say } from '../words.ts'

type Captured = Overview['captured'][number]

const size = { width: 480, height: 150, top: 10, foot: 20 }
const hours = Array.from({ length: 24 }, (_, hour) => hour)

/** `£107.00 and €12.34`: each amount that is above zero. */
function amountsWords(captured: Captured[], of: (each: Captured) => number): string {
  const amounts = captured.filter((each) => of(each) > 0).map((each) => amountWords(of(each), each.currency))
  if (amounts.length > 0) return new Intl.ListFormat(locale).format(amounts)
  const [first] = captured
  return first ? amountWords(0, first.currency) : say('nothing_captured')
}

export function CapturedToday({ overview }: { overview: Overview }) {
  const { captured, zone, now } = overview
  const hour_now = Number(
    new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', timeZone: zone }).format(new Date(now)),
  )
  const today = (each: Captured) => sumsOf(each.today).slice(0, hour_now + 1)
  const before = (each: Captured) => sumsOf(each.week_before)
  const refunded = captured.some(({ refunded_today }) => refunded_today > 0)
  const notes = [
    say('captured_note', {
      amount: amountsWords(captured, (each) => before(each)[hour_now]!),
      zone,
    }),
    ...(refunded
      ? [
          say('refunded_today', {
            amount: amountsWords(captured, ({ refunded_today }) => refunded_today),
          }),
        ]
      : []),
  ]
  return (
    <Plot
      title={say('captured_today', {
        amount: amountsWords(captured, (each) => today(each).at(-1)!),
      })}
      note={notes.toReversed().join(' · ')}
      headings={[
        say('hour'),
        ...captured.flatMap(({ currency }) => [`${say('today')}, ${currency}`, `${say('week_before')}, ${currency}`]),
      ]}
      rows={hours.map((hour) => [
        `${hour}:00`,
        ...captured.flatMap((each) => [
          hour <= hour_now ? amountWords(today(each)[hour]!, each.currency) : '–',
          amountWords(before(each)[hour]!, each.currency),
        ]),
      ])}
    >
      {captured.map((each) => (
        <figure key={each.currency}>
          {captured.length > 1 && <figcaption>{each.currency}</figcaption>}
          <Lines today={today(each)} before={before(each)} ticks={[0, 6, 12, 18].map((hour) => [hour, `${hour}:00`])} />
        </figure>
      ))}
      <p className="legend">
        <span className="key today" /> {say('today')} <span className="key before" /> {say('week_before')}
      </p>
    </Plot>
  )
}

/** The span's sums, a row for each currency. */
export function CapturedInSpan({ captured, days: shown }: Pick<Overview, 'captured' | 'days'>) {
  const days = shown.length
  const columns: [string, (each: Captured) => number][] = [
    [say('status_captured'), ({ in_span }) => in_span],
    [say('status_refunded'), ({ refunded_in_span }) => refunded_in_span],
    [say('net_of_refunds'), ({ in_span, refunded_in_span }) => in_span - refunded_in_span],
    [say('span_before'), ({ in_span_before }) => in_span_before],
  ]
  const amount = (of: (each: Captured) => number) => amountsWords(captured, of)
  return (
    <section className="plot">
      <h2>{say('captured_in_span', { amount: amount(({ in_span }) => in_span), days })}</h2>
      <p className="hint">{say('captured_before', { amount: amount(({ in_span_before }) => in_span_before), days })}</p>
      {captured.map((each) => (
        <figure key={each.currency}>
          {captured.length > 1 && <figcaption>{each.currency}</figcaption>}
          <Lines today={each.by_day} before={[]} ticks={[0, days - 1].map((at) => [at, shown[at]!.day])} />
        </figure>
      ))}
      {captured.length > 0 && (
        <ScrollPlace label={say('currency')}>
          <table className="plain">
            <thead>
              <tr>
                <th scope="col">{say('currency')}</th>
                {columns.map(([heading]) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {captured.map((each) => (
                <tr key={each.currency}>
                  <th scope="row">{each.currency}</th>
                  {columns.map(([heading, of]) => (
                    <td key={heading}>{amountWords(of(each), each.currency)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollPlace>
      )}
    </section>
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

/** `ticks` are places on the axis and what stands below them. */
function Lines({ today, before, ticks }: { today: number[]; before: number[]; ticks: [number, string][] }) {
  const { width, height, top, foot } = size
  const last = Math.max(today.length, before.length) - 1
  const x = scaleLinear()
    .domain([0, Math.max(1, last)])
    .range([0, width])
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
      {ticks.map(([at, text]) => (
        <text key={at} x={x(at)} y={height - 5} textAnchor={at === last ? 'end' : 'start'}>
          {text}
        </text>
      ))}
    </svg>
  )
}
