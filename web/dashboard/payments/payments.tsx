// The list of payments: search, filters as chips, pages, and a word when there are new ones.

import { useLocation, useSearch } from 'wouter'
import { addressOf } from '../client/call.ts'
import { usePages } from '../client/pages.ts'
import { ExportButton, type ExportKind } from '../export/export.tsx'
import { useMovements } from '../export/movements.tsx'
import { SavedFilters } from '../filters/saved-filters.tsx'
import { useHere } from '../merchant.ts'
import { Loaded } from '../parts/loaded.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { RefusedSessionsLink, SessionsLink } from '../sessions/matching-sessions.tsx'
import { say } from '../words.ts'
import { FilterChips } from './filter-chips.tsx'
import { type Filters, filtersOf, queryOf } from './filters.ts'
import { NewRows } from './new-rows.tsx'
import { NoPayments } from './no-payments.tsx'
import { PaymentTable } from './payment-table.tsx'
import { SearchBox } from './search-box.tsx'

export const rows_a_page = 50

export function Payments() {
  const { merchant_id, mode, pathOf, may } = useHere()
  const [, navigate] = useLocation()
  const filters = filtersOf(useSearch())
  const movements = useMovements()
  const query = { mode, limit: rows_a_page, ...filters }
  const filtered: ExportKind = {
    name: say('nav_payments'),
    words: say('export_words'),
    addressOf: (times) => {
      const request = { merchant_id, query: { mode, ...filters, ...times } }
      return addressOf('GET /{merchant_id}/export', request).address
    },
  }
  const pages = usePages('GET /{merchant_id}/payments', { merchant_id, query })
  const show = (next: Filters) => navigate(pathOf(`payments${queryOf(next)}`))
  const rows = pages.answer.data ?? []
  const { created_from, created_before } = filters
  const is_of_days = created_from !== undefined || created_before !== undefined
  const text = filters.customer_email ?? filters.order_reference
  const currencies = rows.flatMap(({ currency }) => (currency ? [currency] : []))
  return (
    <Screen
      title={say('nav_payments')}
      acts={
        <>
          <SavedFilters list="payments" screen="payments" />
          {may('export_transactions') && (
            <ExportButton
              title={say('export_title')}
              shown={filters}
              // The filters narrow payments alone.
              kinds={Object.values(filters).some(Boolean) ? [filtered, movements] : [movements, filtered]}
            />
          )}
        </>
      }
    >
      <SearchBox />
      <FilterChips filters={filters} currencies={currencies} onFilters={show} />
      <NewRows filters={filters} newest_id={rows[0]?.id ?? null} onShow={() => void pages.answer.refetch()} />
      <Loaded answer={pages.answer} rows={10}>
        {(payments) =>
          payments.length > 0 ? (
            <PaymentTable payments={payments} />
          ) : (
            <NoPayments filters={filters} has_more={pages.has_more} onFilters={show} />
          )
        }
      </Loaded>
      <LookedBack pages={pages} rows={rows.map(({ created_at }) => created_at)} rows_a_page={rows_a_page} />
      <Older pages={pages} />
      {text && rows.length > 0 && <SessionsLink text={text} />}
      {is_of_days && <RefusedSessionsLink created_from={created_from} created_before={created_before} />}
    </Screen>
  )
}
