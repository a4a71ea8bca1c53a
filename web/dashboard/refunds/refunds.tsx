// Refunds of all payments, newest first: by day and by what became of them. A row leads to its payment.

import { Redirect, useLocation, useSearch } from 'wouter'
import type { ListedRefund } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { MovementsExport } from '../export/movements.tsx'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { StatusChips } from '../parts/status-chips.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { GivenBack } from '../payment/refunds.tsx'
import { refundStates } from '../payment/state.ts'
import { say, sayKnown } from '../words.ts'

const statuses = ['succeeded', 'pending', 'failed'] as const
const states = Object.values(refundStates)
const filter_names = ['status', 'refund_id', 'created_from', 'created_before'] as const
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
  const { refund_id, created_from, created_before } = filters
  // An id of the journal may be of the other mode.
  const query = { mode: refund_id ? null : mode, limit: rows_a_page, status, refund_id, created_from, created_before }
  const pages = usePages('GET /{merchant_id}/refunds', { merchant_id, query })
  const rows = pages.answer.data ?? []
  const is_narrowed = Object.values(filters).some((value) => value !== undefined)
  // Whoever looks for one refund wants its payment.
  if (refund_id && rows[0]) return <Redirect replace to={pathOf(`payments/${rows[0].payment_id}`)} />
  return (
    <Screen title={say('nav_refunds')} acts={<MovementsExport shown={filters} />}>
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
      </div>
      <Loaded answer={pages.answer} rows={10}>
        {(refunds) =>
          refunds.length > 0 ? (
            <Table
              label={say('nav_refunds')}
              columns={columns}
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

const columns: Column<ListedRefund>[] = [
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
  { name: say('column_email'), kind: 'first', cell: ({ customer_email }) => customer_email ?? '–' },
  {
    name: say('bank_reference'),
    kind: 'wide',
    cell: ({ acquirer_transaction_id: id }) => <span className={id ? 'short' : 'nothing'}>{id ?? '–'}</span>,
  },
  {
    name: say('column_order'),
    kind: 'wide',
    cell: ({ order_reference: text }) => <span className={text ? 'short' : 'nothing'}>{text ?? '–'}</span>,
  },
]
