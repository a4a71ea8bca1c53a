// Sessions as rows, each of which leads to its session.

import { Link } from 'wouter'
import type { SessionRow } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { toldWords } from '../payment/story.ts'
import { say, sayCode } from '../words.ts'
import { sessionStateOf } from './state.ts'

const facts: Column<SessionRow>[] = [
  {
    name: say('column_time'),
    kind: 'second',
    cell: ({ created_at, amount, currency }) => (
      <>
        <Moment at={created_at} />
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
    cell: (session) => (
      <>
        <Status status={sessionStateOf(session)} />
        {session.refusal && <span className="hint reason"> {say('session_refused', reasonOf(session.refusal))}</span>}
      </>
    ),
  },
  {
    name: say('column_attempts'),
    kind: 'named',
    cell: ({ attempt_count, last_decline, authentication_failure }) => {
      const code = authentication_failure ?? last_decline?.code
      return code ? `${attempt_count} · ${sayCode('decline', code)}` : String(attempt_count)
    },
  },
  { name: say('column_email'), kind: 'first', cell: ({ customer }) => customer?.email ?? '–' },
  {
    name: say('column_order'),
    cell: ({ order_reference }) => <span className="short">{order_reference ?? '–'}</span>,
  },
]

function reasonOf({ code }: NonNullable<SessionRow['refusal']>): { reason: string } {
  return { reason: toldWords(code ?? '') }
}

export function SessionTable({ sessions }: { sessions: SessionRow[] }) {
  const { pathOf } = useHere()
  const toPayment: Column<SessionRow> = {
    name: say('payment'),
    kind: 'acts',
    cell: ({ payment_id }) => payment_id && <Link href={pathOf(`payments/${payment_id}`)}>{say('payment')}</Link>,
  }
  return (
    <Table
      label={say('nav_sessions')}
      columns={[...facts, toPayment]}
      rows={sessions}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => pathOf(`sessions/${id}`)}
    />
  )
}
