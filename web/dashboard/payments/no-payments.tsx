// An empty list says why it is empty: filters that leave nothing, or a merchant that has taken no payment.

import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { say } from '../words.ts'
import { type FilterName, type Filters, filter_names } from './search.ts'
import { TestPayment } from './test-payment.tsx'

export function NoPayments({
  filters,
  has_more,
  onFilters,
}: {
  filters: Filters
  has_more: boolean
  onFilters: (filters: Filters) => void
}) {
  const { mode } = useHere()
  const active = filter_names.filter((name) => filters[name] !== undefined)
  if (has_more) return <Empty title={say('none_so_far')} />
  if (active.length > 0) {
    const last4 = filters.card_last4
    return (
      <Empty title={say('none_match')}>
        <p className="acts">
          {last4 && (
            <Button onClick={() => onFilters({ order_reference: last4 })}>
              {say('search_as_order', { text: last4 })}
            </Button>
          )}
          <Button onClick={() => onFilters(withoutNarrowest(filters, active))}>
            {say('drop_filters')}
          </Button>
        </p>
      </Empty>
    )
  }
  if (mode === 'live') return <Empty title={say('no_live_payments')} />
  return (
    <Empty title={say('no_payments')}>
      <p>{say('no_payments_words')}</p>
      <TestPayment />
      <p>
        <a href="/demo">{say('open_demo_shop')}</a>
      </p>
    </Empty>
  )
}

/** A shopper's own details narrow more than a state does. */
function withoutNarrowest(filters: Filters, active: FilterName[]): Filters {
  if (active.length === 1) return {}
  return { ...filters, [active.find((name) => name !== 'status')!]: undefined }
}
