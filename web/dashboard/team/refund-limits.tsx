// Up to how much support may refund of a payment, by currency: who manages the team sets it.

import { type FormEvent, useState } from 'react'
import { readAmount } from '../../shared/read-amount.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Amount, unreadWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { locale, say } from '../words.ts'

export function RefundLimits({ can_manage }: { can_manage: boolean }) {
  const { merchant_id } = useHere()
  const [is_setting, setSetting] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/team/refund-limits', { merchant_id })
  const drop = useSetLimit()
  return (
    <Section title={say('refund_limits')}>
      <p className="hint">{say('refund_limits_words')}</p>
      <RefusalAlert refused={drop.error} />
      <Loaded answer={answer} rows={1}>
        {({ limits }) =>
          limits.length === 0 ? (
            <p>{say('no_refund_limits')}</p>
          ) : (
            <Table
              label={say('refund_limits')}
              rows={limits}
              keyOf={({ currency }) => currency}
              columns={[
                { name: say('currency'), kind: 'first', cell: ({ currency }) => currency },
                { name: say('column_amount'), kind: 'figure', cell: Amount },
                {
                  name: say('column_acts'),
                  kind: 'acts',
                  cell: ({ currency }) =>
                    can_manage && (
                      <Button
                        size="small"
                        aria-label={say('drop_refund_limit', { currency })}
                        onClick={() => drop.mutate({ merchant_id, body: { currency, amount: null } })}
                      >
                        {say('remove')}
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {can_manage && <Button onClick={() => setSetting(true)}>{say('set_refund_limit')}</Button>}
      {is_setting && <SetLimit onClose={() => setSetting(false)} />}
    </Section>
  )
}

function useSetLimit() {
  return useAct('POST /{merchant_id}/team/refund-limits', ['GET /{merchant_id}/team/refund-limits'])
}

function SetLimit({ onClose }: { onClose: () => void }) {
  const { merchant_id } = useHere()
  const [fault, setFault] = useState<string | null>(null)
  const act = useSetLimit()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { currency = '', amount = '' } = textsOf(event.currentTarget)
    const code = currency.trim().toUpperCase()
    const read = readAmount(amount, locale, code)
    const is_usable = !('fault' in read) && read.amount > 0
    setFault(is_usable ? null : (unreadWords(read, code) ?? say('refund_limit_wrong')))
    if (!is_usable) return
    const body = { currency: code, amount: read.amount }
    act.mutate({ merchant_id, body }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('set_refund_limit')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <p>{say('refund_limits_words')}</p>
        <Field
          label={say('currency')}
          hint={say('currency_hint')}
          name="currency"
          maxLength={3}
          pattern="[A-Za-z]{3}"
          spellCheck={false}
          autoComplete="off"
          required
          autoFocus
        />
        <Field label={say('amount')} name="amount" inputMode="decimal" autoComplete="off" required fault={fault} />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('set_refund_limit')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
