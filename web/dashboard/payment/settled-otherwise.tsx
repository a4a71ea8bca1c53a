// A failed refund whose money was given back another way: the dialog that notes it, and the note with a way to take it back.

import { type FormEvent, useState } from 'react'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { RefusalAlert } from '../parts/alert.tsx'
import { amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, FormActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { exactWords } from '../parts/moment.tsx'
import { say } from '../words.ts'
import { routesOfRefunds } from './decided.ts'
import { useLife } from './timeline.tsx'

type OwedRefund = { id: string; currency: string; owed_amount: number }

export function SettleOtherwise({ refund }: { refund: OwedRefund }) {
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {say('settled_otherwise')}
      </Button>
      {is_open && <SettleDialog refund={refund} onClose={() => setOpen(false)} />}
    </>
  )
}

function SettleDialog({ refund, onClose }: { refund: OwedRefund; onClose: () => void }) {
  const { merchant_id } = useHere()
  const { id: refund_id, owed_amount, currency } = refund
  const amount = amountWords(owed_amount, currency)
  const act = useAct('POST /{merchant_id}/refunds/{refund_id}/otherwise', [...routesOfRefunds])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { note = '' } = textsOf(event.currentTarget)
    act.mutate({ merchant_id, refund_id, body: { amount: owed_amount, note } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('settled_otherwise')} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error} onSubmit={submit}>
        <p>{say('otherwise_words', { amount })}</p>
        <Field label={say('otherwise_note')} hint={say('decision_note_hint')} name="note" maxLength={255} required />
        <FormActs is_busy={act.isPending} onClose={onClose}>
          {say('otherwise_act', { amount })}
        </FormActs>
      </Form>
    </Dialog>
  )
}

/** How much, and by whom, when and how, as the journal has it. */
export function SettledOtherwise({
  refund: { id: refund_id, payment_id, currency, otherwise_amount },
  may_undo,
}: {
  refund: { id: string; payment_id: string; currency: string; otherwise_amount: number }
  may_undo: boolean
}) {
  const { merchant_id } = useHere()
  const { data: life } = useLife(payment_id)
  const act = useAct('DELETE /{merchant_id}/refunds/{refund_id}/otherwise', [...routesOfRefunds])
  const line = life?.lines.findLast(
    ({ change, detail }) => change === 'refund.settled_otherwise' && detail.refund_id === refund_id,
  )
  return (
    <>
      <p className="hint notes">
        <span>{say('otherwise_given', { amount: amountWords(otherwise_amount, currency) })}</span>
        {typeof line?.detail.note === 'string' && (
          <span>
            <bdi>{line.detail.note}</bdi>
          </span>
        )}
        {line && life && (
          <>
            <span>
              <Actor actor={line.actor} people={life.people} />
            </span>
            <span>{exactWords(new Date(line.at))}</span>
          </>
        )}
      </p>
      <RefusalAlert refused={act.error} />
      {may_undo && (
        <span className="acts">
          <Button size="small" is_busy={act.isPending} onClick={() => act.mutate({ merchant_id, refund_id })}>
            {say('otherwise_undo')}
          </Button>
        </span>
      )}
    </>
  )
}
