// A customer's payments on one page, reached from one of them: what they come to by currency and state, and each of them.

import { Link } from 'wouter'
import type { Customer } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { dayWords } from '../parts/moment.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { PaymentTable } from '../payments/payment-table.tsx'
import { say } from '../words.ts'

const rows_a_page = 50

type Sum = Customer['sums'][number]

export function CustomerPayments({ payment_id }: { payment_id: string }) {
  const { merchant_id, pathOf } = useHere()
  const route = 'GET /{merchant_id}/payments/{payment_id}/customer'
  const pages = usePages(route, { merchant_id, payment_id, query: { limit: rows_a_page } })
  const [first] = pages.replies
  return (
    <Screen
      title={say('customer')}
      lead={
        <>
          {first && <bdi>{first.email}</bdi>} {first && spanWords(first.sums)}{' '}
          <Link href={pathOf(`payments/${payment_id}`)}>{say('payment')}</Link>
        </>
      }
    >
      {first && (
        <Section title={say('sums')}>
          <Table
            label={say('sums')}
            columns={columns}
            rows={first.sums}
            keyOf={(sum) => `${sum.currency} ${sum.status}`}
          />
          {!first.is_whole && <p className="hint">{say('sums_not_whole')}</p>}
        </Section>
      )}
      <Section title={say('nav_payments')}>
        <Loaded answer={pages.answer} rows={10}>
          {(payments) => <PaymentTable payments={payments} />}
        </Loaded>
      </Section>
      <LookedBack
        pages={pages}
        rows={(pages.answer.data ?? []).map(({ created_at }) => created_at)}
        rows_a_page={rows_a_page}
      />
      <Older pages={pages} />
    </Screen>
  )
}

/** When the first payment was begun, and the last. */
function spanWords(sums: Sum[]): string {
  const first = sums.map(({ first_at }) => first_at).sort()[0]
  const last = sums
    .map(({ last_at }) => last_at)
    .sort()
    .at(-1)
  if (!first || !last) return ''
  return say('first_and_last', { first: dayWords(new Date(first)), last: dayWords(new Date(last)) })
}

const columns: Column<Sum>[] = [
  { name: say('column_status'), kind: 'first', cell: ({ status }) => <Status status={status} /> },
  { name: say('count'), kind: 'named', cell: ({ count }) => count },
  {
    name: say('status_refunded'),
    kind: 'named',
    cell: ({ refunded_amount, currency }) =>
      refunded_amount > 0 && <Amount amount={refunded_amount} currency={currency} />,
  },
  {
    name: say('column_amount'),
    kind: 'figure',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
]
