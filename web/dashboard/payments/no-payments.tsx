// An empty list says why it is empty: filters that leave nothing, or a merchant that has taken no payment.

import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { MatchingSessions } from '../sessions/matching-sessions.tsx'
import { locale, say } from '../words.ts'
import { filtersWords, filterWords } from './filter-words.ts'
import { type FilterName, type Filters, filter_names } from './filters.ts'
import { meaningsOf } from './search.ts'
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
  const text = filters.customer_email ?? filters.order_reference
  const sessions = text && <MatchingSessions text={text} />
  if (has_more) {
    return (
      <>
        <Empty title={say('none_so_far')} />
        {sessions}
      </>
    )
  }
  if (active.length > 0) {
    const narrowest = active.find((name) => name !== 'status' && name !== 'refunded') ?? active[0]!
    return (
      <>
        <Empty title={say('none_match')}>
          <p className="acts">
            {otherMeanings(filters, active).map((other) => (
              <Button key={filtersWords(other)} onClick={() => onFilters(other)}>
                {say('find', { text: filtersWords(other) })}
              </Button>
            ))}
            <Button onClick={() => onFilters({ ...filters, [narrowest]: undefined })}>
              {say('drop_filter', { filter: filterWords(narrowest, filters) })}
            </Button>
          </p>
        </Empty>
        {sessions}
      </>
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

/** What else the text of the only filter may mean. */
function otherMeanings(filters: Filters, active: FilterName[]): Filters[] {
  const text = active.length === 1 ? (filters.card_last4 ?? filters.order_reference) : undefined
  // Screens are left out below.
  return meaningsOf(text ?? '', { locale, opens: () => false }).flatMap((meaning) =>
    'filters' in meaning && JSON.stringify(meaning.filters) !== JSON.stringify(filters) ? [meaning.filters] : [],
  )
}
