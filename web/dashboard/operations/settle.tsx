// Settles a call that nobody answered by what a person has learned from the acquirer.

import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { UnansweredOperation } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Choice, Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say, sayCode } from '../words.ts'

export function Settle({ operation }: { operation: UnansweredOperation }) {
  const [is_open, setOpen] = useState(false)
  if (operation.outcomes.length === 0) return null
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {say('settle')}
      </Button>
      {is_open && <SettleDialog operation={operation} onClose={() => setOpen(false)} />}
    </>
  )
}

function SettleDialog({ operation, onClose }: { operation: UnansweredOperation; onClose: () => void }) {
  const { merchant_id, pathOf } = useHere()
  const { operation_id, kind, amount, currency, order_reference, customer_email, outcomes } = operation
  const act = useAct('POST /{merchant_id}/operations/{operation_id}/resolve', [
    'GET /{merchant_id}/operations',
    'GET /{merchant_id}/payments/{payment_id}',
  ])
  const other_id = act.error?.members.payment_id
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { outcome, reason = '', acquirer_transaction_id } = textsOf(event.currentTarget)
    const found = outcomes.find((each) => each === outcome)
    if (!found) return
    const body = {
      outcome: found,
      reason,
      acquirer_transaction_id: acquirer_transaction_id || null,
    }
    act.mutate({ merchant_id, operation_id, body }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('settle_title')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <p>
          {say('settle_words', {
            what: `${sayCode('operation', kind)} ${amountWords(amount, currency)}`,
          })}
        </p>
        <Facts
          rows={[
            [
              say('our_reference'),
              <div key="reference">
                <Copyable text={operation_id} label={say('our_reference')} />
                <p className="hint">{say('our_reference_hint')}</p>
              </div>,
            ],
            [say('column_order'), order_reference && <bdi>{order_reference}</bdi>],
            [say('column_email'), customer_email && <bdi>{customer_email}</bdi>],
          ]}
        />
        <Choice
          label={say('outcome')}
          name="outcome"
          required
          defaultValue=""
          options={[
            // A wrong outcome moves money in the books, so nobody must send one that they did not choose.
            { value: '', text: say('choose') },
            ...outcomes.map((value) => ({ value, text: sayCode('settled', value) })),
          ]}
        />
        <Field label={say('settle_reason')} name="reason" maxLength={200} required />
        <Field
          label={say('bank_reference')}
          hint={say('settle_reference_hint')}
          name="acquirer_transaction_id"
          maxLength={100}
          spellCheck={false}
        />
        {typeof other_id === 'string' && <Link href={pathOf(`payments/${other_id}`)}>{say('show_payment')}</Link>}
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="danger" type="submit" is_busy={act.isPending}>
            {say('settle')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
