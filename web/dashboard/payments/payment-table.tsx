// Payments as rows.

import type { PaymentRow } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { CardMark } from '../parts/card-mark.tsx'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { stateOf } from '../payment/state.ts'
import { releasedOf, takenOf } from '../payment/taken.ts'
import { say, sayCode } from '../words.ts'

const columns: Column<PaymentRow>[] = [
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
    cell: (payment) => (
      <>
        <Status status={stateOf(payment)} />
        {releasedOf(payment) !== null && (
          <span className="hint reason">
            {' '}
            {say('status_captured')} {amountWords(takenOf(payment), payment.currency)}
          </span>
        )}
        {payment.failed_refund_amount && <span className="hint reason"> {say('status_refund_failed')}</span>}
        {payment.decline && <span className="hint reason"> {sayCode('decline', payment.decline.code)}</span>}
      </>
    ),
  },
  { name: say('column_email'), kind: 'first', cell: ({ customer }) => customer?.email ?? '–' },
  { name: say('column_card'), cell: ({ card }) => <CardMark card={card} /> },
  {
    name: say('column_order'),
    cell: ({ order_reference }) => (
      <span className={order_reference ? 'short' : 'nothing'}>{order_reference ?? '–'}</span>
    ),
  },
]

export function PaymentTable({ payments }: { payments: PaymentRow[] }) {
  const { pathOf } = useHere()
  return (
    <Table
      label={say('nav_payments')}
      columns={columns}
      rows={payments}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => pathOf(`payments/${id}`)}
    />
  )
}
