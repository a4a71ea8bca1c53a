// One payment: what it is, what may be done, what happened, the facts, and what developers need.

import { useEffect } from 'react'
import { Link, Redirect } from 'wouter'
import type { Payment as PaymentRead } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { keepStep } from '../overview/kept-steps.ts'
import { amountWords } from '../parts/amount.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Deadline, exactWords } from '../parts/moment.tsx'
import { Screen } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayCode, sayCount } from '../words.ts'
import { AddNote } from './add-note.tsx'
import { adviceOn } from './advice.ts'
import { Asking } from './asking.tsx'
import { Decisions } from './decisions.tsx'
import { Differences } from './differences.tsx'
import { DisputeNotes } from './dispute-notes.tsx'
import { ForDevelopers } from './for-developers.tsx'
import { HoldRefusal } from './hold-refusal.tsx'
import { NotArrived } from './not-arrived.tsx'
import { capturedOf, OtherPayments } from './other-payments.tsx'
import { PaidOut } from './paid-out.tsx'
import { PaymentFacts, PaymentSummary } from './payment-facts.tsx'
import { Receipt } from './receipt.tsx'
import { RefundNote } from './refund-note.tsx'
import { FailedRefunds, Refunds } from './refunds.tsx'
import { stateOf } from './state.ts'
import { takenOf } from './taken.ts'
import { Timeline, useLife } from './timeline.tsx'

export function Payment({ payment_id }: { payment_id: string }) {
  return payment_id.startsWith('cs_') ? <OfSession session_id={payment_id} /> : <ById payment_id={payment_id} />
}

/** Goes on to the newest payment of a session; without one, to the session itself. */
function OfSession({ session_id }: { session_id: string }) {
  const { pathOf } = useHere()
  const answer = useLife(session_id)
  const newest = answer.data?.payments.at(-1)
  if (newest) return <Redirect replace to={pathOf(`payments/${newest.payment_id}`)} />
  const is_gone = answer.error?.code === 'resource_not_found'
  if (answer.data || is_gone) return <Redirect replace to={pathOf(`sessions/${session_id}`)} />
  return (
    <Screen title={say('payment')}>
      <Loaded answer={answer}>{() => null}</Loaded>
    </Screen>
  )
}

function ById({ payment_id }: { payment_id: string }) {
  const { merchant_id, mode } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payments/{payment_id}', { merchant_id, payment_id })
  if (!answer.data) {
    return (
      <Screen title={say('payment')}>
        <Loaded answer={answer}>{() => null}</Loaded>
      </Screen>
    )
  }
  // Under live mode a test payment would look like real money.
  if (answer.data.mode !== mode) {
    return <Redirect replace to={`/${merchant_id}/${answer.data.mode}/payments/${payment_id}`} />
  }
  return <Whole payment={answer.data} />
}

function Whole({ payment }: { payment: PaymentRead }) {
  const { id, amount, currency, refunded_amount = 0, refund_max, refund_count, otherwise_amount } = payment
  const { merchant_id } = useHere()
  useEffect(() => keepStep(merchant_id, 'looked'), [merchant_id])
  const refundable = { left_amount: takenOf(payment) - refunded_amount, refundable_amount: refund_max }
  const whose = { order_reference: payment.order_reference, customer_email: payment.customer?.email ?? null }
  const money = { id, amount, currency, ...refundable, otherwise_amount, is_disputed: payment.is_disputed }
  const decided = { ...money, ...whose, other_payments: payment.other_payments }
  const warned = { ...decided, order_words: orderWords(payment), differences: payment.differences }
  return (
    <Screen
      title={amountWords(amount, currency)}
      lead={<Lead payment={payment} />}
      acts={
        <>
          <RefundNote payment={payment} />
          <Decisions payment={warned} permitted={payment.permitted} />
        </>
      }
    >
      <PaymentSummary payment={payment} />
      <div className="two">
        <div>
          <Timeline id={id} hold={payment.hold} acts={<AddNote payment_id={id} />} />
        </div>
        <div>
          <PaymentFacts payment={payment} />
          {refund_count > 0 && <Refunds payment={warned} permitted={payment.permitted} />}
          <PaidOut payment={payment} />
          {payment.status === 'captured' && <Receipt payment_id={id} />}
          <NotArrived payment_id={id} />
          <ForDevelopers payment={payment} />
        </div>
      </div>
    </Screen>
  )
}

function Lead({ payment }: { payment: PaymentRead }) {
  const { decline, hold, order_reference } = payment
  const { pathOf } = useHere()
  const is_paid = capturedOf(payment.other_payments) !== undefined
  const order_words = orderWords(payment)
  const shared = new URLSearchParams({ order_reference: order_reference ?? '', status: 'captured' })
  return (
    <>
      <Status status={stateOf(payment)} />
      {decline && <span>{sayCode('decline', decline.code)}.</span>}
      <span>{stateWords(payment)}</span>
      <Differences differences={payment.differences} />
      <DisputeNotes disputes={payment.disputes} />
      {hold && !hold.decided_at && (
        <span>
          {say('column_deadline')} <Deadline at={hold.deadline} />. {sayCode('at_deadline', hold.at_deadline)}
        </span>
      )}
      {(payment.settlement || payment.pending_refund_amount) && (
        <Asking payment_id={payment.id} is_paid={is_paid && payment.status === 'pending'} />
      )}
      {hold && <HoldRefusal hold={hold} />}
      <Reservation payment={payment} />
      {payment.status === 'voided' && hold?.decided_by === 'rules' && (
        <span className="advice">{say(is_paid ? 'advice_paid' : 'advice_voided')}</span>
      )}
      {decline && <span className="advice">{say(adviceOn(decline, capturedOf(payment.other_payments)))}</span>}
      {payment.failed_refund_amount && <FailedRefunds payment_id={payment.id} />}
      {payment.otherwise_amount > 0 && (
        <span>{say('otherwise_given', { amount: amountWords(payment.otherwise_amount, payment.currency) })}</span>
      )}
      {order_words && (
        <Link className="warning" href={pathOf(`payments?${shared}`)}>
          {order_words}
        </Link>
      )}
      <OfOrder payment={payment} />
    </>
  )
}

/** That the order was paid several times; or, where this payment alone still has money of it, that another was given back. */
function orderWords(payment: PaymentRead): string | null {
  const { status, refunded_amount = 0, otherwise_amount, ...of } = payment
  const { order_paid_payments: paid, order_reference_captured_payments: captured } = of
  if (paid > 1) return sayCount('order_paid_often', 'order_paid_often', paid)
  const has_money = status === 'captured' && refunded_amount + otherwise_amount < takenOf(payment)
  return has_money && captured !== null && captured > 1 ? say('order_paid_back') : null
}

/** What else is known of the order. That a captured one was paid more than once is said with the number. */
function OfOrder({ payment }: { payment: PaymentRead }) {
  const { status, other_payments: others } = payment
  const { pathOf } = useHere()
  const paid = capturedOf(others)
  const is_unpaid = ['declined', 'failed', 'voided'].includes(status)
  const shown = status === 'captured' || is_unpaid ? others.filter((each) => each !== paid) : others
  return (
    <>
      {is_unpaid && paid && <Link href={pathOf(`payments/${paid.payment_id}`)}>{say('paid_otherwise')}</Link>}
      <OtherPayments others={shown} />
    </>
  )
}

/** Of money that was reserved and let go. An unclear charge was, where its reversal was approved. */
function Reservation({ payment: { id, status } }: { payment: PaymentRead }) {
  const { data: life } = useLife(id)
  const operations = life?.payments.find(({ payment_id }) => payment_id === id)?.operations ?? []
  const is_reversed = operations.some(({ kind, state }) => kind === 'reverse' && state === 'approved')
  const is_unpaid = status === 'declined' || status === 'failed'
  return status === 'voided' || (is_unpaid && is_reversed) ? <span>{say('state_reservation')}</span> : null
}

/** What the state means, where the word alone does not say it. */
function stateWords(payment: PaymentRead): string {
  const { settlement, hold, refunded_amount = 0, pending_refund_amount = 0, currency, answer_by } = payment
  const inPart = () =>
    say('state_part_refunded', {
      refunded: amountWords(refunded_amount - pending_refund_amount, currency),
      left: amountWords(takenOf(payment) - refunded_amount, currency),
    })
  if (settlement) return say('state_unknown')
  switch (stateOf(payment)) {
    case 'pending':
      return say('state_pending', { when: answer_by ? exactWords(new Date(answer_by)) : '–' })
    case 'held':
      return hold ? sayCode('hold_reason', hold.reason) : say('state_held')
    case 'captured':
      return say('state_captured')
    case 'refunded':
      return say('state_refunded')
    case 'refunding': {
      const pending = say('state_refunding', { amount: amountWords(pending_refund_amount, currency) })
      return refunded_amount > pending_refund_amount ? `${pending} ${inPart()}` : pending
    }
    case 'part_refunded':
      return inPart()
    default:
      return say('state_nothing_taken')
  }
}
