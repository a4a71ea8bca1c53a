// The facts of a payment: shopper, card, 3-D Secure, items, and how its amount was checked.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Item, Payment } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { Amount, amountWords } from '../parts/amount.tsx'
import { CardMark } from '../parts/card-mark.tsx'
import { Copyable } from '../parts/copy.tsx'
import { English } from '../parts/english.tsx'
import { Facts } from '../parts/facts.tsx'
import { IdLink } from '../parts/id.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Section } from '../parts/screen.tsx'
import { say, sayCode } from '../words.ts'
import { holdDetailIn } from './hold-detail.ts'
import { decisionIn, rulesIn, settledByHand } from './story.ts'
import { releasedOf, takenOf } from './taken.ts'
import { useLife } from './timeline.tsx'
import { entriesOf } from './timeline-entries.ts'

/** What people ask first, in a line under the head. */
export function PaymentSummary({ payment }: { payment: Payment }) {
  const { customer, card, currency, amount, refunded_amount = 0, order_reference } = payment
  const [taken, released] = [takenOf(payment), releasedOf(payment)]
  const rows: [string, ReactNode][] = [
    [say('created'), <Moment key="created" at={payment.created_at} is_exact />],
    [say('column_email'), customer?.email && <Email email={customer.email} payment_id={payment.id} />],
    [say('column_card'), card && <CardMark card={card} />],
    [say('column_order'), order_reference && <bdi>{order_reference}</bdi>],
    ...(released === null
      ? []
      : ([
          [say('authorised'), <Amount key="all" amount={amount} currency={currency} />],
          [say('status_captured'), <Amount key="taken" amount={taken} currency={currency} />],
          [say('released'), <Amount key="rest" amount={released} currency={currency} />],
        ] as [string, ReactNode][])),
    [say('left_after_refunds'), refunded_amount > 0 && <Amount amount={taken - refunded_amount} currency={currency} />],
  ]
  return (
    <dl className="summary">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

export function PaymentFacts({ payment }: { payment: Payment }) {
  const { customer, authentication, hold, decline, currency } = payment
  const metadata = Object.entries(payment.metadata)
  const { data: life } = useLife(payment.id)
  const decision = life && decisionIn(entriesOf(life), life)
  const hand = life && settledByHand(payment.id, life)
  const operations = life?.payments.find(({ payment_id }) => payment_id === payment.id)?.operations ?? []
  // After a soft decline another acquirer was asked.
  const reference = operations.findLast(({ kind }) => kind === 'authorise')?.operation_id
  return (
    <>
      <Section title={say('facts')}>
        <Facts
          rows={[
            [say('payment'), <Copyable key="id" text={payment.id} label={say('payment_id')} />],
            [say('name'), customer?.name && <Name text={customer.name} />],
            [say('three_ds'), authentication && authenticationWords(authentication, payment)],
            [
              say(payment.status === 'failed' ? 'status_failed' : 'decline'),
              decline && sayCode('decline', decline.code),
            ],
            [
              say('by_hand'),
              hand && (
                <>
                  <bdi>{String(hand.detail.reason)}</bdi> · <Actor actor={hand.actor} people={life.people} />
                </>
              ),
            ],
            [say('payment_link'), payment.payment_link_id && <IdLink id={payment.payment_link_id} />],
            [say('amount_check'), sayCode('amount_source', payment.amount_verification_source)],
            [say('hold_detail'), hold?.detail && holdWords(hold.detail, currency)],
            [say('decided_by'), hold?.decided_at && <DecidedBy payment={payment} />],
            [say('decision_reason'), decision?.note && <bdi>{decision.note}</bdi>],
            [say('executed'), payment.executed_at && <Moment at={payment.executed_at} is_exact />],
            [say('our_reference'), reference && <Copyable text={reference} label={say('our_reference')} />],
            [
              say('bank_reference'),
              payment.acquirer_transaction_id && <Copyable text={payment.acquirer_transaction_id} />,
            ],
          ]}
        />
      </Section>
      {payment.items && payment.items.length > 0 && <Items items={payment.items} currency={currency} />}
      {metadata.length > 0 && (
        <Section title={say('metadata')} label={say('metadata')}>
          <Facts rows={metadata.map(([name, value]) => [name, <bdi key={name}>{value}</bdi>])} />
        </Section>
      )}
    </>
  )
}

/** A sentence that this page does not know yet is shown as the service has it. */
function holdWords(detail: string, currency: string | null): ReactNode {
  const mismatch = holdDetailIn(detail, currency)
  if (!mismatch) return <English text={detail} />
  const { key, amount, expected, other, number } = mismatch
  return say(key, {
    ...(amount !== undefined && { amount: amountWords(amount, mismatch.currency) }),
    ...(expected !== undefined && { expected: amountWords(expected, other ?? mismatch.currency) }),
    ...(number !== undefined && { number }),
    ...(mismatch.currency && { currency: mismatch.currency }),
  })
}

/** The person or key that captured or voided, or the rules: the journal knows. */
function DecidedBy({ payment: { id } }: { payment: Payment }) {
  const { data: life } = useLife(id)
  const decision = life && decisionIn(entriesOf(life), life)
  if (!life || !decision?.actor) return '–'
  return rulesIn(decision.entry, life) ?? <Actor actor={decision.actor} people={life.people} />
}

/** Leads to all payments of the shopper. */
function Email({ email, payment_id }: { email: string; payment_id: string }) {
  const { pathOf, may } = useHere()
  return may('read_shoppers') ? <Link href={pathOf(`payments/${payment_id}/customer`)}>{email}</Link> : email
}

/** Who is liable is said only where there is money to lose. */
function authenticationWords(
  { outcome, liability_shifted, eci }: NonNullable<Payment['authentication']>,
  { status }: Payment,
): string {
  const has_money = status === 'captured' || status === 'held' || status === 'pending'
  return [
    sayCode('authentication', outcome.toLowerCase()),
    has_money && say(liability_shifted ? 'liability_bank' : 'liability_ours'),
    eci && `ECI ${eci}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

export function Items({ items, currency }: { items: Item[]; currency: string | null }) {
  return (
    <Section title={say('items')}>
      <ul className="items">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a basket may have the same line twice, and never changes
          <li key={`${item.sku} ${index}`}>
            <span>
              {item.name ?? item.sku ?? sayCode('item', item.kind)}
              {item.quantity > 1 && <span className="hint"> × {item.quantity}</span>}
            </span>
            {item.unit_amount !== null && <Amount amount={item.unit_amount * item.quantity} currency={currency} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}
