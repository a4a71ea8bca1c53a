// How events reach the merchant: figures, since there is nothing to plot.

import { Link } from 'wouter'
import type { Overview } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { formatNumber, locale, say } from '../words.ts'

const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })

export function WebhookHealth({ health }: { health: Overview['webhooks'] }) {
  const { pathOf } = useHere()
  const { delivered, due, within_minute, failing_endpoints, oldest_at } = health
  if (delivered === 0 && due === 0 && failing_endpoints === 0) return null
  const failing = failing_endpoints > 0 && <Link href={pathOf('webhooks')}>{formatNumber(failing_endpoints)}</Link>
  const oldest = oldest_at && <Moment at={oldest_at} />
  return (
    <section className="plot">
      <h2>{say('webhook_health')}</h2>
      <p className="hint">{say('webhook_health_note')}</p>
      <Facts
        rows={[
          [say('delivered_count'), formatNumber(delivered)],
          [say('within_minute'), due > 0 ? percent.format(within_minute / due) : null],
          [say('failing_endpoints'), failing || say('none')],
          [say('oldest_due'), oldest || say('none')],
        ]}
      />
    </section>
  )
}
