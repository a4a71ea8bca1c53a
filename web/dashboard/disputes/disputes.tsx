// What shoppers dispute at their banks: open ones by the time that is left to answer, or all. A row leads to its payment.

import { useLocation, useSearch } from 'wouter'
import type { Dispute } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Empty } from '../parts/empty.tsx'
import { Id } from '../parts/id.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Deadline } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RespondLink } from '../payment/dispute-notes.tsx'
import { say } from '../words.ts'

const kinds = ['open', 'all'] as const
const rows_a_page = 50

export function Disputes() {
  const { merchant_id, mode, pathOf } = useHere()
  const [, navigate] = useLocation()
  const which = new URLSearchParams(useSearch()).get('which') === 'all' ? 'all' : 'open'
  const query = { mode, which, limit: rows_a_page } as const
  const pages = usePages('GET /{merchant_id}/disputes', { merchant_id, query })
  return (
    <Screen title={say('nav_disputes')}>
      <fieldset className="chips">
        <legend className="unseen">{say('filters')}</legend>
        {kinds.map((each) => (
          <button
            key={each}
            type="button"
            className="chip"
            aria-pressed={which === each}
            onClick={() => navigate(pathOf(each === 'all' ? 'disputes?which=all' : 'disputes'))}
          >
            {say(each === 'all' ? 'disputes_all' : 'disputes_open')}
          </button>
        ))}
      </fieldset>
      <Loaded answer={pages.answer} rows={10}>
        {(disputes) =>
          disputes.length > 0 ? (
            <Table
              label={say('nav_disputes')}
              columns={columnsOf()}
              rows={disputes}
              keyOf={({ id }) => id}
              hrefOf={({ payment_id }) => pathOf(`payments/${payment_id}`)}
            />
          ) : (
            <Empty title={say(which === 'all' ? 'no_disputes' : 'no_disputes_open')} />
          )
        }
      </Loaded>
      <Older pages={pages} />
    </Screen>
  )
}

const columnsOf = (): Column<Dispute>[] => [
  {
    name: say('column_amount'),
    kind: 'first',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  { name: say('column_status'), kind: 'second', cell: ({ status }) => <Status status={status} /> },
  {
    name: say('column_respond_by'),
    kind: 'named',
    cell: ({ respond_by, closed_at }) => (respond_by && closed_at === null ? <Deadline at={respond_by} /> : '–'),
  },
  { name: say('column_reason'), kind: 'line', cell: ({ reason }) => reason ?? '–' },
  { name: say('column_payment'), kind: 'widest', cell: ({ payment_id }) => <Id id={payment_id} /> },
  { name: say('column_acts'), kind: 'acts', cell: (dispute) => <RespondLink dispute={dispute} /> },
]
