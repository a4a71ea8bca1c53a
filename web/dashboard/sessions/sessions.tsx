// Checkout sessions: what shoppers began, and where they left.

import { Link, useLocation, useSearch } from 'wouter'
import type { SessionRow } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { StatusChips } from '../parts/status-chips.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'

const statuses = ['requires_payment', 'processing', 'succeeded', 'declined', 'expired'] as const

export function Sessions() {
  const { merchant_id, mode, pathOf } = useHere()
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch()).get('status')
  const status = statuses.find((each) => each === asked) ?? null
  const pages = usePages('GET /{merchant_id}/sessions', {
    merchant_id,
    query: { mode, limit: 50, status },
  })
  return (
    <Screen title={say('nav_sessions')}>
      <StatusChips
        statuses={statuses}
        chosen={status}
        onChoose={(each) => navigate(pathOf(each === null ? 'sessions' : `sessions?status=${each}`))}
      />
      <Loaded answer={pages.answer} rows={10}>
        {(sessions) =>
          sessions.length === 0 ? (
            <Empty title={say('no_sessions')}>
              <p>{say('no_sessions_words')}</p>
            </Empty>
          ) : (
            <SessionTable sessions={sessions} />
          )
        }
      </Loaded>
      <Older pages={pages} />
    </Screen>
  )
}

const facts: Column<SessionRow>[] = [
  {
    name: say('column_time'),
    kind: 'second',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    name: say('column_amount'),
    kind: 'figure',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  { name: say('column_status'), cell: ({ status }) => <Status status={status} /> },
  {
    name: say('column_attempts'),
    cell: ({ attempt_count, last_decline }) =>
      last_decline ? `${attempt_count} · ${sayCode('decline', last_decline.code)}` : String(attempt_count),
  },
  { name: say('column_email'), kind: 'first', cell: ({ customer }) => customer?.email ?? '–' },
  {
    name: say('column_order'),
    cell: ({ order_reference }) => <span className="short">{order_reference ?? '–'}</span>,
  },
]

function SessionTable({ sessions }: { sessions: SessionRow[] }) {
  const { pathOf } = useHere()
  const toPayment: Column<SessionRow> = {
    name: say('payment'),
    kind: 'acts',
    cell: ({ payment_id }) => payment_id && <Link href={pathOf(`payments/${payment_id}`)}>{say('payment')}</Link>,
  }
  return <Table label={say('nav_sessions')} columns={[...facts, toPayment]} rows={sessions} keyOf={({ id }) => id} />
}
