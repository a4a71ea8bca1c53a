// Makes a payment link, and goes to its page, which has the address and the QR code.

import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { readAmount } from '../../shared/read-amount.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { unreadWords } from '../parts/amount.tsx'
import { amountExample } from '../parts/amount-example.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field, Tick, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { locale, say } from '../words.ts'

const day_ms = 24 * 3600 * 1000
const lives = ['', '1', '7', '30']

/** `currency` is what the dialog begins with. */
export function CreateLink({ currency: usual, onClose }: { currency: string; onClose: () => void }) {
  const { merchant_id, mode, pathOf } = useHere()
  const [, navigate] = useLocation()
  const [currency, setCurrency] = useState(usual)
  const [typed, setTyped] = useState('')
  const [is_left, setLeft] = useState(false)
  const act = useAct('POST /{merchant_id}/payment_links', ['GET /{merchant_id}/payment_links'])
  const code = currency.trim().toUpperCase()
  const read = readAmount(typed, locale, code)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setLeft(true)
    if ('fault' in read || act.isPending) return
    const { description, order_reference, life, single } = textsOf(event.currentTarget)
    const body = {
      mode,
      amount: read.amount,
      currency: code,
      description: description || null,
      order_reference: order_reference || null,
      expires_at: life ? new Date(Date.now() + Number(life) * day_ms).toISOString() : null,
      max_payments: single ? 1 : null,
    }
    act.mutate({ merchant_id, body }, { onSuccess: ({ id }) => navigate(pathOf(`links/${id}`)) })
  }
  return (
    <Dialog title={say('new_link')} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error} onSubmit={submit}>
        <Field
          label={say('amount')}
          hint={amountExample(code || null)}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => setLeft(typed !== '')}
          fault={is_left ? unreadWords(read, code) : null}
        />
        <Field
          label={say('currency')}
          hint={say('currency_hint')}
          name="currency"
          autoComplete="off"
          required
          maxLength={3}
          value={currency}
          onChange={({ target }) => setCurrency(target.value)}
        />
        <Field label={say('link_description')} hint={say('link_description_hint')} name="description" maxLength={255} />
        <Field label={say('column_order')} name="order_reference" maxLength={64} />
        <Tick label={say('link_single')} name="single" value="yes" member="max_payments" defaultChecked />
        <Choice
          label={say('link_ends')}
          name="life"
          member="expires_at"
          options={lives.map((value) => ({
            value,
            text: value === '' ? say('never') : say('link_ends_in', { count: Number(value) }),
          }))}
        />
        <DialogActs>
          <Button is_busy={act.isPending} onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('create')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
