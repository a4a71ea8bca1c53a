// The facts of a payment: shopper, card, 3-D Secure, items, and how its amount was checked.

import { Link } from 'wouter'
import type { Item, Payment } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { CardMark } from '../parts/card-mark.tsx'
import { Copyable } from '../parts/copy.tsx'
import { English } from '../parts/english.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Section } from '../parts/screen.tsx'
import { say, sayCode } from '../words.ts'

export function PaymentFacts({ payment }: { payment: Payment }) {
  const { customer, authentication, card, hold } = payment
  return (
    <>
      <Section title={say('facts')}>
        <Facts
          rows={[
            [say('column_email'), customer?.email && <Email email={customer.email} />],
            [say('name'), customer?.name && <Name text={customer.name} />],
            [say('column_order'), payment.order_reference],
            [say('column_card'), card && <CardMark card={card} />],
            [say('three_ds'), authentication && authenticationWords(authentication)],
            [say('decline'), payment.decline && sayCode('decline', payment.decline.code)],
            [
              say('amount_check'),
              say(payment.amount_verified ? 'amount_right' : 'amount_unchecked'),
            ],
            [say('hold_detail'), hold?.detail && <English key="hold" text={hold.detail} />],
            [say('decided_by'), hold?.decided_by && sayCode('decided', hold.decided_by)],
            [say('created'), <Moment key="created" at={payment.created_at} is_exact />],
            [say('executed'), payment.executed_at && <Moment at={payment.executed_at} is_exact />],
            [
              say('bank_reference'),
              payment.acquirer_transaction_id && (
                <Copyable text={payment.acquirer_transaction_id} />
              ),
            ],
          ]}
        />
      </Section>
      {payment.items && payment.items.length > 0 && (
        <Items items={payment.items} payment={payment} />
      )}
    </>
  )
}

function Email({ email }: { email: string }) {
  const { pathOf } = useHere()
  const path = pathOf(`payments?customer_email=${encodeURIComponent(email)}`)
  // Other payments of the same shopper.
  return email.includes('…') ? email : <Link href={path}>{email}</Link>
}

function authenticationWords({
  outcome,
  liability_shifted,
  eci,
}: NonNullable<Payment['authentication']>): string {
  return [
    sayCode('authentication', outcome.toLowerCase()),
    say(liability_shifted ? 'liability_bank' : 'liability_ours'),
    eci && `ECI ${eci}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function Items({ items, payment }: { items: Item[]; payment: Payment }) {
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
            {item.unit_amount !== null && (
              <Amount amount={item.unit_amount * item.quantity} currency={payment.currency} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
