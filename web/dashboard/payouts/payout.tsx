// One payout: what it is made of, and its lines that do not fit.

import { Link, Redirect } from 'wouter'
import type { PayoutFinding, Payout as PayoutRead } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Alert } from '../parts/alert.tsx'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { formatNumber, say, sayCode } from '../words.ts'
import { dayWords } from './day-words.ts'

export function Payout({ payout_id }: { payout_id: string }) {
  const { merchant_id, mode, pathOf } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payouts/{payout_id}', { merchant_id, payout_id })
  const payout = answer.data
  if (payout && payout.mode !== mode)
    return <Redirect replace to={`/${merchant_id}/${payout.mode}/payouts/${payout_id}`} />
  if (payout) return <Whole payout={payout} />
  return (
    <Screen title={say('payout')}>
      {answer.error?.code === 'resource_not_found' ? (
        <Empty title={say('no_such_payout')}>
          <Link href={pathOf('payouts')}>{say('nav_payouts')}</Link>
        </Empty>
      ) : (
        <Loaded answer={answer}>{() => null}</Loaded>
      )}
    </Screen>
  )
}

function Whole({ payout }: { payout: PayoutRead }) {
  const { id, vendor_id, connection, currency, gross, fee, net, paid_on, lines, short_of } = payout
  const rows = payout.lines_with_findings
  return (
    <Screen title={amountWords(net, currency)} lead={`${say('payout')} · ${connection} · ${dayWords(paid_on)}`}>
      {short_of !== null && (
        <Alert>
          {say('payout_is_short', { paid: amountWords(short_of, currency), net: amountWords(net, currency) })}
        </Alert>
      )}
      <div className="two">
        <div>
          <Section title={say('payout_findings')} label={say('payout_findings')}>
            {rows.length > 0 ? (
              <Table
                label={say('payout_findings')}
                columns={columns()}
                rows={rows}
                keyOf={({ line }) => String(line)}
              />
            ) : (
              <p className="hint">{say('all_lines_fit')}</p>
            )}
          </Section>
        </div>
        <Section title={say('facts')}>
          <Facts
            rows={[
              [say('gross'), <Amount key="gross" amount={gross} currency={currency} />],
              [say('fee'), <Amount key="fee" amount={fee} currency={currency} />],
              [say('net'), <Amount key="net" amount={net} currency={currency} />],
              [say('report_lines'), formatNumber(lines)],
              [say('vendor_payout_id'), <Copyable key="vendor" text={vendor_id} label={say('vendor_payout_id')} />],
              [say('payout'), <Copyable key="id" text={id} label={say('payout')} />],
            ]}
          />
        </Section>
      </div>
    </Screen>
  )
}

const columns = (): Column<PayoutFinding>[] => [
  { name: say('report_line'), kind: 'second', cell: ({ line }) => formatNumber(line) },
  {
    name: say('payout_finding'),
    kind: 'first',
    cell: ({ reason, payment_id, type }) => (
      <>
        {sayCode('payout_finding', reason)} <span className="below hint">{type}</span>{' '}
        {payment_id && <PaymentLink payment_id={payment_id} />}
      </>
    ),
  },
  {
    name: say('bank_reference'),
    cell: ({ transaction_id }) => <span className="short">{transaction_id}</span>,
  },
]

function PaymentLink({ payment_id }: { payment_id: string }) {
  const { pathOf } = useHere()
  return <Link href={pathOf(`payments/${payment_id}`)}>{say('payment')}</Link>
}
