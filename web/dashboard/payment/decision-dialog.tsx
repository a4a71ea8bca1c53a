// Capture, void or escalate one held payment. Pressing twice, or again after a lost answer, decides once.

import { type FormEvent, useState } from 'react'
import { readAmount, typedAmount } from '../../shared/read-amount.ts'
import { useAct } from '../client/query.ts'
import { unreachable } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { amountWords, unreadWords } from '../parts/amount.tsx'
import { Dialog, FormActs } from '../parts/dialog.tsx'
import { doneStore } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { locale, say } from '../words.ts'
import type { Decided } from './decided.ts'
import { OtherPayments } from './other-payments.tsx'

const concerned = [
  'GET /{merchant_id}/payments/{payment_id}',
  'GET /{merchant_id}/payments/{payment_id}/timeline',
  'GET /{merchant_id}/payments',
  'GET /{merchant_id}/holds',
] as const

export function DecisionDialog({
  kind,
  payment,
  onClose,
}: {
  kind: 'capture' | 'void' | 'escalate'
  payment: Decided
  onClose: () => void
}) {
  const { me, merchant_id, mode } = useHere()
  const intent = `${kind} ${me.user.user_id} ${payment.id}`
  const { other_payments = [], currency } = payment
  const route = `POST /{merchant_id}/payments/{payment_id}/hold/${kind}` as const
  const act = useAct(route, [...concerned], intent, ({ settlement }) => {
    const words = say(settlement && kind !== 'escalate' ? 'done_under_way' : `done_${kind}`, { amount: words_of_it })
    doneStore.write({ words, payment_id: payment.id })
  })
  const { unanswered } = act
  // What the goods that leave come to; the rest is released.
  const [typed, setTyped] = useState(typedAmount(amountIn(unanswered?.body) ?? payment.amount, currency, locale))
  const read = readAmount(typed, locale, currency)
  const part = kind !== 'capture' ? payment.amount : 'fault' in read ? null : read.amount
  const is_usable = part !== null && part > 0 && part <= payment.amount
  const words_of_it = amountWords(part ?? payment.amount, currency)
  // Perhaps it was carried out: under its key only the very same note may be sent again.
  const is_fixed = act.isPending || unanswered !== null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending || !is_usable) return
    const { note = '' } = textsOf(event.currentTarget)
    const body = { ...(note.trim() && { note: note.trim() }), ...(part < payment.amount && { amount: part }) }
    act.mutate({ merchant_id, payment_id: payment.id, body }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say(`${kind}_title`)} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error ?? (unanswered && !act.isPending ? unreachable() : null)} onSubmit={submit}>
        <p>{say(`${kind}_words`, { amount: words_of_it })}</p>
        <Facts
          rows={[
            [say('column_order'), payment.order_reference && <bdi>{payment.order_reference}</bdi>],
            [say('column_email'), payment.customer_email && <bdi>{payment.customer_email}</bdi>],
          ]}
        />
        {kind === 'capture' && other_payments.length > 0 && (
          <p>
            <OtherPayments others={other_payments} />
          </p>
        )}
        {mode === 'test' && <p className="hint">{say('test_money')}</p>}
        {kind === 'capture' && (
          <Field
            label={currency ? `${say('amount')} (${currency})` : say('amount')}
            member="amount"
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            readOnly={is_fixed}
            onChange={({ target }) => setTyped(target.value)}
            hint={
              is_usable &&
              part < payment.amount &&
              say('capture_releases', { amount: amountWords(payment.amount - part, currency) })
            }
            fault={
              is_usable
                ? null
                : (unreadWords(read, currency) ??
                  say('refund_amount_wrong', { amount: amountWords(payment.amount, currency) }))
            }
          />
        )}
        <Field
          label={say(kind === 'escalate' ? 'escalate_note' : 'decision_note')}
          hint={say(kind === 'escalate' ? 'escalate_note_hint' : 'decision_note_hint')}
          name="note"
          defaultValue={noteIn(unanswered?.body)}
          maxLength={255}
          readOnly={is_fixed}
        />
        <FormActs
          look={kind === 'void' ? 'danger' : 'primary'}
          is_busy={act.isPending}
          is_disabled={!is_usable}
          onClose={onClose}
        >
          {say(`${kind}_amount`, { amount: words_of_it })}
        </FormActs>
      </Form>
    </Dialog>
  )
}

function amountIn(body: { note?: string | null; amount?: number } = {}): number | undefined {
  return body.amount
}

function noteIn(body: { note?: string | null } = {}): string {
  return body.note ?? ''
}
