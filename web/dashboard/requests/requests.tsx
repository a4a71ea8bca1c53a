// Requests, for whoever builds against the service: those of servers or of shoppers' pages that were refused, or the last of all.

import { useLocation, useSearch } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Alert } from '../parts/alert.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say } from '../words.ts'
import { columnsOf, refusedColumnsOf } from './columns.tsx'
import { RequestFilters } from './filters.tsx'
import { useRefused } from './refused-requests.ts'
import { addressOf, type Filters, filtersIn } from './search.ts'

export function Requests() {
  const { pathOf } = useHere()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const is_recent = search.has('recent')
  const filters = filtersIn(search)
  const onFilters = (next: Filters) => navigate(pathOf(addressOf(next)))
  const shown = is_recent ? 'recent' : (filters.askers ?? 'servers')
  return (
    <Screen title={say('nav_requests')} lead={say(leads[shown])}>
      <fieldset className="chips">
        <legend className="unseen">{say('filters')}</legend>
        {(['servers', 'shoppers', 'recent'] as const).map((each) => (
          <button
            key={each}
            type="button"
            className="chip"
            aria-pressed={shown === each}
            onClick={() => navigate(pathOf(paths[each]))}
          >
            {say(`requests_of_${each}`)}
          </button>
        ))}
        {!is_recent && <RequestFilters filters={filters} onFilters={onFilters} />}
      </fieldset>
      {is_recent ? <Recent /> : <Refused filters={filters} onFilters={onFilters} />}
    </Screen>
  )
}

const paths = { servers: 'requests', shoppers: 'requests?askers=shoppers', recent: 'requests?recent' }
const leads = { servers: 'requests_lead', shoppers: 'requests_shoppers_lead', recent: 'requests_recent_lead' } as const

function Refused({ filters, onFilters }: { filters: Filters; onFilters: (filters: Filters) => void }) {
  const { pathOf } = useHere()
  const { pages, names } = useRefused(filters)
  return (
    <>
      <Loaded answer={pages.answer} rows={10}>
        {(requests) =>
          requests.length === 0 ? (
            <Empty title={emptyWords(pages.has_more, filters)} />
          ) : (
            <Table
              label={say('nav_requests')}
              is_even
              rows={requests}
              keyOf={({ request_id }) => request_id}
              columns={refusedColumnsOf((more) => onFilters({ ...filters, ...more }), { pathOf, names })}
            />
          )
        }
      </Loaded>
      <Older pages={pages} />
    </>
  )
}

function emptyWords(has_more: boolean, filters: Filters): string {
  if (has_more) return say('none_so_far')
  const is_narrowed = Object.keys(filters).some((name) => name !== 'askers')
  return say(is_narrowed ? 'no_requests_fit' : 'no_requests')
}

function Recent() {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/requests/recent', { merchant_id }, { every_ms: 10_000 })
  return (
    <Loaded answer={answer} rows={10}>
      {({ data, keeps_refused }) => (
        <>
          {!keeps_refused && <Alert>{say('requests_not_kept')}</Alert>}
          {data.length === 0 ? (
            <Empty title={say('no_recent_requests')} />
          ) : (
            <Table
              label={say('nav_requests')}
              is_even
              rows={data}
              keyOf={({ request_id }) => request_id}
              columns={columnsOf()}
            />
          )}
        </>
      )}
    </Loaded>
  )
}
