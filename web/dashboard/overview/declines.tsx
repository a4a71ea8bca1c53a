// Why payments were declined: the five most frequent reasons and the rest, each leading to its payments.

import { Link } from 'wouter'
import type { Overview } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Plot } from '../parts/plot.tsx'
import { formatNumber, say, sayCode, sayCount } from '../words.ts'
import { spanQuery } from './span-query.ts'

const shown_max = 5

export function Declines({ declines, days }: Pick<Overview, 'declines' | 'days'>) {
  const { pathOf } = useHere()
  const all = declines.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  const largest = declines.toSorted((a, b) => b.count - a.count)
  const rest = largest.slice(shown_max).reduce((sum, { count }) => sum + count, 0)
  return (
    <Plot
      title={sayCount('declines_1', 'declines', all)}
      headings={[say('decline'), say('count')]}
      rows={largest.map(({ code, count }) => [sayCode('decline', code), formatNumber(count)])}
    >
      <ul className="bars">
        {largest.slice(0, shown_max).map(({ code, count }) => (
          <li key={code}>
            <Link href={pathOf(`payments?${spanQuery({ status: 'declined', decline_code: code }, days)}`)}>
              {sayCode('decline', code)}
            </Link>
            <Bar share={count / largest[0]!.count} />
            <span className="amount">{formatNumber(count)}</span>
          </li>
        ))}
        {rest > 0 && (
          <li>
            <Link href={pathOf(`payments?${spanQuery({ status: 'declined' }, days)}`)}>{say('rest')}</Link>
            <Bar share={rest / largest[0]!.count} />
            <span className="amount">{formatNumber(rest)}</span>
          </li>
        )}
      </ul>
    </Plot>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(1, Math.min(1, share) * 100)} height="8" rx="1" />
    </svg>
  )
}
