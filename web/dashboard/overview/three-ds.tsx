// What became of 3-D Secure: one bar, cut into parts, each leading to its sessions.

import { Link } from 'wouter'
import type { Overview } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Plot } from '../parts/plot.tsx'
import { formatNumber, say, sayCount, type WordKey } from '../words.ts'
import { spanQuery } from './span-query.ts'

const parts = ['frictionless', 'challenged', 'abandoned', 'failed'] as const

export function ThreeDs({ counts, days }: { counts: Overview['three_ds']; days: Overview['days'] }) {
  const { pathOf } = useHere()
  if (counts.asked === 0) return null
  const sum = parts.reduce((total, part) => total + counts[part], 0) || 1
  let from = 0
  return (
    <Plot
      title={sayCount('three_ds_title_1', 'three_ds_title', counts.asked)}
      headings={[say('outcome'), say('count')]}
      rows={parts.map((part) => [words(part), formatNumber(counts[part])])}
    >
      <svg className="cut" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {parts.map((part) => {
          const width = (counts[part] / sum) * 100
          const x = from
          from += width
          return <rect key={part} className={part} x={x} width={width} height="8" />
        })}
      </svg>
      <p className="legend">
        {parts.map((part) => (
          <span key={part}>
            <span className={`key ${part}`} />{' '}
            <Link href={pathOf(`sessions?${spanQuery({ three_ds: part }, days)}`)}>{words(part)}</Link>{' '}
            {formatNumber(counts[part])}
          </span>
        ))}
      </p>
    </Plot>
  )
}

function words(part: (typeof parts)[number]): string {
  return say(`three_ds_${part}` as WordKey)
}
