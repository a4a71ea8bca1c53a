// Refunds a captured payment, or a part of it.

import { type FormEvent, useState } from 'react'
import { readAmount, typedAmount } from '../../shared/read-amount.ts'
import { useAct } from '../client/query.ts'
import { unreachable } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { Alert } from '../parts/alert.tsx'
import { amountWords, unreadWords } from '../parts/amount.tsx'
import { Dialog, FormActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Toggle } from '../parts/toggle.tsx'
import { locale, say } from '../words.ts'
import { type Decided, routesOfRefunds } from './decided.ts'
import { Differences } from './differences.tsx'
import { RefundFailure } from './refund-failure.tsx'

/** `amount` is what the dialog begins with, in place of all that is left and was not given back another way. */
export function RefundDialog({
  payment,
  amount: wish,
  onClose,
}: {
  payment: Decided
  amount?: number
  onClose: () => void
}) {
  const { me, merchant_id, mode } = useHere()
  const { currency, otherwise_amount = 0 } = payment
  const { left_amount = payment.amount, refundable_amount: left = left_amount } = payment
  const likely = Math.min(wish ?? Math.max(0, left_amount - otherwise_amount), left)
  const intent = `refund ${me.user.user_id} ${payment.id}`
  const act = useAct('POST /{merchant_id}/payments/{payment_id}/refunds', [...routesOfRefunds], intent)
  // Perhaps it was carried out: only the very same refund may be asked for again, under its key, in a new dialog, too.
  const { unanswered } = act
  const [typed, setTyped] = useState(typedAmount(unanswered?.body.amount ?? likely, currency, locale))
  // As it was when the person decided: the page may have read anew since, unseen.
  const [seen_amount] = useState(unanswered?.body.otherwise_amount ?? otherwise_amount)
  const read = readAmount(typed, locale, currency)
  const amount = 'fault' in read ? null : read.amount
  const failure = act.isPending ? null : act.data?.failure
  const is_usable = amount !== null && amount > 0 && amount <= left
  // Whoever opened the dialog has seen no more than what the page showed then.
  const [is_disputed] = useState(unanswered?.body.accept_dispute ?? payment.is_disputed ?? false)
  const [is_accepted, setAccepted] = useState(unanswered?.body.accept_dispute ?? false)
  const may_send = is_usable && (!is_disputed || is_accepted)
  const is_fixed = act.isPending || unanswered !== null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (amount === null || act.isPending || !(may_send || is_fixed)) return
    const { reason = '' } = textsOf(event.currentTarget)
    act.mutate(
      {
        merchant_id,
        payment_id: payment.id,
        body: {
          amount,
          otherwise_amount: seen_amount,
          ...(reason && { reason }),
          ...(is_accepted && { accept_dispute: true }),
        },
      },
      // What failed is said here: there is nothing else on the page that the person would look at.
      { onSuccess: ({ status }) => status !== 'failed' && onClose() },
    )
  }
  return (
    <Dialog title={say('refund_title')} onClose={onClose} is_busy={act.isPending}>
      {failure && (
        <Alert>
          <RefundFailure failure={failure} is_owed />
        </Alert>
      )}
      <Form refused={act.error ?? (unanswered && !act.isPending ? unreachable() : null)} onSubmit={submit}>
        <p>{say('refund_words', { amount: amountWords(left, currency) })}</p>
        {otherwise_amount > 0 && (
          <p className="warning">{say('otherwise_given', { amount: amountWords(otherwise_amount, currency) })}</p>
        )}
        {left < left_amount && <p>{say('refund_limited')}</p>}
        <Differences differences={payment.differences ?? []} />
        {payment.order_words && <p className="warning">{payment.order_words}</p>}
        {mode === 'test' && <p className="hint">{say('test_money')}</p>}
        <Field
          label={currency ? `${say('amount')} (${currency})` : say('amount')}
          member="amount"
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          readOnly={is_fixed}
          onChange={({ target }) => setTyped(target.value)}
          fault={
            is_usable || is_fixed
              ? null
              : (unreadWords(read, currency) ?? say('refund_amount_wrong', { amount: amountWords(left, currency) }))
          }
        />
        <Field
          label={say('refund_reason')}
          hint={say('refund_reason_hint')}
          name="reason"
          defaultValue={unanswered?.body.reason ?? ''}
          maxLength={255}
          readOnly={is_fixed}
        />
        {is_disputed && (
          <>
            <p className="warning">{say('refund_disputed')}</p>
            <Toggle label={say('accept_dispute')} is_on={is_accepted} onChange={is_fixed ? () => {} : setAccepted} />
          </>
        )}
        <FormActs look="danger" is_busy={act.isPending} is_disabled={!(may_send || is_fixed)} onClose={onClose}>
          {amount === null ? say('refund') : say('refund_amount', { amount: amountWords(amount, currency) })}
        </FormActs>
      </Form>
    </Dialog>
  )
}
