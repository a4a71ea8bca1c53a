// Refunds of all payments, newest first: by day, by what became of them and by a text. A row leads to its payment.

import { Redirect, useLocation, useSearch } from 'wouter'
import type { ListedRefund } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { MovementsExport } from '../export/movements.tsx'
import { SavedFilters } from '../filters/saved-filters.tsx'
import { screenOfId, screenOfSecret } from '../frame/screen-of-id.ts'
import { useHere } from '../merchant.ts'
import { idOfActor } from '../parts/actor.tsx'
import { Amount, amountWords } from '../parts/amount.tsx'
import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { Empty } from '../parts/empty.tsx'
import { Id } from '../parts/id.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { SearchForm } from '../parts/search-form.tsx'
import { Status } from '../parts/status.tsx'
import { StatusChips } from '../parts/status-chips.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { GivenBack } from '../payment/refunds.tsx'
import { refundStates } from '../payment/state.ts'
import { amountIn } from '../payments/search.ts'
import { locale, say, sayCode, sayKnown } from '../words.ts'

const statuses = ['succeeded', 'pending', 'failed'] as const
const states = Object.values(refundStates)
const filter_names = ['status', 'refund_id', 'text', 'created_from', 'created_before'] as const
type Filters = Partial<Record<(typeof filter_names)[number], string | undefined>>
const rows_a_page = 50

export function AllRefunds() {
  const { merchant_id, mode, pathOf } = useHere()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const filters: Filters = Object.fromEntries(filter_names.map((name) => [name, search.get(name) ?? undefined]))
  const status = statuses.find((each) => each === filters.status) ?? null
  const show = (next: Filters) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...filters, refund_id: undefined, ...next }))
      if (value) query.set(name, value)
    navigate(pathOf(`refunds${query.size > 0 ? `?${query}` : ''}`))
  }
  const { refund_id, text, created_from, created_before } = filters
  // An id of the journal may be of the other mode.
  const query = {
    mode: refund_id ? null : mode,
    limit: rows_a_page,
    status,
    refund_id,
    text,
    ...(text && amountIn(text, locale)),
    created_from,
    created_before,
  }
  const pages = usePages('GET /{merchant_id}/refunds', { merchant_id, query })
  const rows = pages.answer.data ?? []
  const people: Record<string, string> = Object.assign({}, ...pages.replies.map((reply) => reply.people))
  const is_narrowed = Object.values(filters).some((value) => value !== undefined)
  // Whoever looks for one refund wants its payment.
  if (refund_id && rows[0]) return <Redirect replace to={pathOf(`payments/${rows[0].payment_id}`)} />
  return (
    <Screen
      title={say('nav_refunds')}
      acts={
        <>
          <SavedFilters list="refunds" screen="refunds" />
          <MovementsExport shown={filters} />
        </>
      }
    >
      <SearchForm
        label={say('search_refunds')}
        hint={say('search_refunds_hint')}
        onSearch={(typed) => {
          const path = screenOfSecret(typed) ?? screenOfId(typed)?.path
          if (path) navigate(pathOf(path))
          else show({ text: typed || undefined })
        }}
      />
      <div className="chips">
        <StatusChips
          statuses={states}
          chosen={status && refundStates[status]}
          onChoose={(state) => show({ status: statuses.find((each) => refundStates[each] === state) })}
        />
        <fieldset className="chips">
          <legend className="unseen">{say('span')}</legend>
          <DayChips times={filters} onTimes={show} />
        </fieldset>
        {refund_id && <DropChip text={refund_id} onDrop={() => show({})} />}
        {text && <DropChip text={text} onDrop={() => show({ text: undefined })} />}
      </div>
      <Loaded answer={pages.answer} rows={10}>
        {(refunds) =>
          refunds.length > 0 ? (
            <Table
              label={say('nav_refunds')}
              columns={columnsOf(people)}
              rows={refunds}
              keyOf={({ id }) => id}
              hrefOf={({ payment_id }) => pathOf(`payments/${payment_id}`)}
            />
          ) : (
            <Empty title={say(pages.has_more ? 'none_so_far' : is_narrowed ? 'no_refunds_match' : 'no_refunds')} />
          )
        }
      </Loaded>
      <LookedBack pages={pages} rows={rows.map(({ created_at }) => created_at)} rows_a_page={rows_a_page} />
      <Older pages={pages} />
    </Screen>
  )
}

const columnsOf = (people: Record<string, string>): Column<ListedRefund>[] => [
  {
    name: say('column_time'),
    kind: 'second',
    cell: ({ created_at, amount, currency }) => (
      <>
        <Moment at={created_at} is_exact />
        <span className="unseen">, {amountWords(amount, currency)}</span>
      </>
    ),
  },
  {
    name: say('column_amount'),
    kind: 'figure',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  {
    name: say('column_status'),
    cell: ({ failure, ...refund }) => (
      <>
        <Status status={refundStates[refund.status]} />{' '}
        <span className="hint">
          <GivenBack refund={refund} />
        </span>
        {refund.otherwise_amount !== null && <span className="hint">{say('settled_otherwise')} </span>}
        {failure && <span className="hint reason"> {sayKnown('decline', failure.code) ?? failure.reason}</span>}
      </>
    ),
  },
  {
    name: `${say('column_email')} · ${say('column_order')}`,
    kind: 'first',
    cell: ({ customer_email: email, order_reference: order }) => (
      <>
        <span className="short" dir="auto" title={email ?? undefined}>
          {email ?? '–'}
        </span>{' '}
        {order && (
          <span className="short below hint" dir="auto" title={order}>
            {order}
          </span>
        )}
      </>
    ),
  },
  {
    name: say('column_who'),
    kind: 'named',
    cell: ({ actor, reason }) => (
      <>
        {actor && <Who actor={actor} people={people} />}{' '}
        {reason && (
          <span className="short below hint" dir="auto" title={reason}>
            {reason}
          </span>
        )}
      </>
    ),
  },
  {
    name: say('bank_reference'),
    kind: 'wide',
    cell: ({ acquirer_transaction_id: id }) => <span className={id ? 'short' : 'nothing'}>{id ?? '–'}</span>,
  },
]

/** Not as a link: the whole row is one, to the payment. */
function Who({ actor, people }: { actor: string; people: Record<string, string> }) {
  const id = idOfActor(actor)
  if (people[id]) return <Name text={people[id]} id={id} />
  return (
    <>
      {sayCode('actor', actor.split(' ')[0]!)} {id && <Id id={id} />}
    </>
  )
}
