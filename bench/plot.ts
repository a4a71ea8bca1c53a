// Draws latency against load as an SVG that stands by itself: its own card, so that it can be read on any background.

import { escapeHtml } from '../src/kernel/html.ts'

export type Point = {
  /** Asked for and answered, a second. */
  offered: number
  served: number
  p50_ms: number
  p95_ms: number
  p99_ms: number
  /** More was offered than could be served. */
  is_over: boolean
}

/** `load` names what is offered; `points` by rising load. The caption is a sentence, broken after its first colon. */
export type Plot = { title: string; load: string; caption: string; points: Point[] }

const width = 720
const height = 490
const area = { left: 96, right: 644, top: 94, bottom: 366 }

type Line = { key: 'p50_ms' | 'p95_ms' | 'p99_ms'; label: string; colour: string; dash: string }

/** Told apart without their colours as well: by dashes, and by the marker. */
const lines: Line[] = [
  { key: 'p50_ms', label: 'p50', colour: '#0b62a8', dash: '' },
  { key: 'p95_ms', label: 'p95', colour: '#9a5b00', dash: '9 5' },
  { key: 'p99_ms', label: 'p99', colour: '#a5135c', dash: '2 5' },
]
const markers: Record<Line['key'], string> = {
  p50_ms: '<circle r="4.5"/>',
  p95_ms: '<rect x="-4.2" y="-4.2" width="8.4" height="8.4"/>',
  p99_ms: '<path d="M0 -6 5.6 4.4 -5.6 4.4Z"/>',
}

export function plotLatency({ title, load, caption, points }: Plot): string {
  const scale = scaleOf(points)
  const [what, ...machine] = caption.split(': ')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title what">
<title id="title">${escapeHtml(title)}</title>
<desc id="what">${escapeHtml(`${wordsOf(points)} ${caption}`)}</desc>
<style>${style}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="#fdfdfc" stroke="#d5d8dc"/>
<text class="title" x="28" y="44">${escapeHtml(title)}</text>
${saturated(points, scale)}
${yAxis(scale)}
${xAxis(scale, load)}
${lines.map((line) => drawLine(line, points, scale)).join('\n')}
${labels(points, scale)}
<text class="caption" x="28" y="${height - 38}">${escapeHtml(`${what}:`)}</text>
<text class="caption" x="28" y="${height - 16}">${escapeHtml(machine.join(': '))}</text>
</svg>
`
}

/** An image's width is what its media queries ask: where it is drawn small, its words are larger. */
const style = `
text{font:15px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#3d444d}
.title{font-size:21px;font-weight:600;fill:#1a1f24}
.caption{font-size:13px;fill:#59636e}
.end{font-weight:600}
.right{text-anchor:end}
.middle{text-anchor:middle}
.grid{stroke:#e4e7ea}
.decade{stroke:#c3c9cf}
.axis{stroke:#59636e}
.over{fill:#eef0f2}
@media (max-width:480px){
text{font-size:21px}
.title{font-size:27px}
.caption{font-size:19px}
.spare{display:none}
}
`

type Scale = {
  x: (offered: number) => number
  y: (time_ms: number) => number
  x_ticks: number[]
  y_ticks: number[]
}

function scaleOf(points: Point[]): Scale {
  const x_max = Math.max(...points.map(({ offered }) => offered))
  const times = points.flatMap(({ p50_ms, p95_ms, p99_ms }) => [p50_ms, p95_ms, p99_ms])
  const to = stepAbove(Math.max(...times))
  let from = to
  while (round(from) > Math.min(...times)) from -= 1
  const between = (share: number, start: number, end: number) => start + share * (end - start)
  const span = Math.log(round(to) / round(from))
  const x_step = round(stepAbove(x_max / 6))
  return {
    x: (offered) => between(offered / x_max, area.left, area.right),
    y: (time_ms) => between(Math.log(time_ms / round(from)) / span, area.bottom, area.top),
    x_ticks: Array.from({ length: Math.floor(x_max / x_step) + 1 }, (_, at) => at * x_step),
    y_ticks: Array.from({ length: to - from + 1 }, (_, at) => round(from + at)),
  }
}

/** The round numbers in order: 1 is number 0, then 2, 5, 10, and before it 0.5, 0.2. */
function round(number: number): number {
  const decade = Math.floor(number / 3)
  return [1, 2, 5][number - decade * 3]! * 10 ** decade
}

function stepAbove(value: number): number {
  let number = -12
  while (round(number) < value) number += 1
  return number
}

function yAxis({ y, y_ticks }: Scale): string {
  // Where the words are large there is no room for so many.
  const is_spare = y_ticks.length > 9
  const tick = (time_ms: number) => {
    const at = y(time_ms).toFixed(1)
    const is_decade = Number.isInteger(Math.log10(time_ms))
    const name = time_ms < 1000 ? `${time_ms} ms` : `${time_ms / 1000} s`
    return `<line class="${is_decade ? 'decade' : 'grid'}" x1="${area.left}" x2="${area.right}" y1="${at}" y2="${at}"/>
<text class="right${is_spare && !is_decade ? ' spare' : ''}" x="${area.left - 10}" y="${at}" dy=".35em">${name}</text>`
  }
  return y_ticks.map(tick).join('\n')
}

function xAxis({ x, x_ticks }: Scale, load: string): string {
  const tick = (offered: number) => {
    const at = x(offered).toFixed(1)
    const name = String(offered).replace(/\B(?=(\d{3})+$)/g, '\u202f')
    return `<line class="axis" x1="${at}" x2="${at}" y1="${area.bottom}" y2="${area.bottom + 6}"/>
<text class="middle" x="${at}" y="${area.bottom + 27}">${name}</text>`
  }
  return `<line class="axis" x1="${area.left}" x2="${area.right}" y1="${area.bottom}" y2="${area.bottom}"/>
${x_ticks.map(tick).join('\n')}
<text class="middle" x="${(area.left + area.right) / 2}" y="${area.bottom + 56}">${escapeHtml(load)}</text>`
}

/** Between the last load that was served and the one that was not. */
function saturated(points: Point[], { x }: Scale): string {
  const first = points.findIndex(({ is_over }) => is_over)
  if (first < 1) return ''
  const from = x(points[first - 1]!.offered)
  return `<rect class="over" x="${from.toFixed(1)}" y="${area.top}" width="${(area.right - from).toFixed(1)}" height="${area.bottom - area.top}"/>
<text class="right" x="${area.right}" y="${area.top - 10}">where it falls behind</text>`
}

function drawLine({ key, colour, dash }: Line, points: Point[], { x, y }: Scale): string {
  const places = points.map((point) => [x(point.offered).toFixed(1), y(point[key]).toFixed(1)])
  const path = places.map((place) => place.join(' ')).join('L')
  const marks = places.map(([left, top]) => `<g transform="translate(${left} ${top})">${markers[key]}</g>`)
  return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dash}" stroke-linejoin="round" stroke-linecap="round"/>
<g fill="${colour}" stroke="#fdfdfc" stroke-width="1.5">${marks.join('')}</g>`
}

/** Each at its line's end, as far below the one before as its letters are high. */
function labels(points: Point[], { y }: Scale): string {
  const last = points.at(-1)!
  let free = area.top
  return lines
    .toReversed()
    .map(({ key, label, colour }) => {
      const at = Math.max(y(last[key]), free)
      free = at + label_height
      return `<text class="end" x="${area.right + 14}" y="${at.toFixed(1)}" dy=".35em" style="fill:${colour}">${label}</text>`
    })
    .join('\n')
}

const label_height = 24

/** For those who do not see the picture. */
function wordsOf(points: Point[]): string {
  const words = points.map(
    ({ offered, p50_ms, p99_ms }) => `${offered} a second: p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms`,
  )
  return `${words.join('; ')}.`
}
