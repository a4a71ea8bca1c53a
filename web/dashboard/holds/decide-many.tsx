// Decides the holds that are marked: each by a request and a key of its own, and each with its own result.

import { type FormEvent, useRef, useState } from 'react'
import type { ListedHold } from '../client/answers.ts'
import { call, newIdempotencyKey } from '../client/call.ts'
import { forget } from '../client/query.ts'
import { Refused } from '../client/refused.ts'
import type { ReplyOf } from '../client/routes.ts'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { refusalWords } from '../parts/refusal-words.ts'
import { Status } from '../parts/status.tsx'
import { OtherPayments } from '../payment/other-payments.tsx'
import { say, sayCount } from '../words.ts'
import { Escalation } from './escalation.tsx'

/** As many as somebody can still look through. */
export const marked_max = 50

export function MarkedHolds({ holds, onDone }: { holds: ListedHold[]; onDone: () => void }) {
  const [kind, setKind] = useState<'capture' | 'void' | null>(null)
  // The dialog reports on its holds even when none of them waits any more.
  if (holds.length === 0 && kind === null) return null
  return (
    <div className="marked">
      {holds.length > 0 && (
        <>
          <span role="status">{sayCount('marked', 'marked', holds.length, { sum: sumWords(holds) })}</span>
          <Button size="small" look="primary" onClick={() => setKind('capture')}>
            {say('capture_marked')}
          </Button>
          <Button size="small" onClick={() => setKind('void')}>
            {say('void_marked')}
          </Button>
        </>
      )}
      {kind && (
        <ManyDialog
          kind={kind}
          holds={holds}
          onClose={(has_begun) => {
            setKind(null)
            if (has_begun) onDone()
          }}
        />
      )}
    </div>
  )
}

/** The payment as the service showed it after the decision. An acquirer may only have accepted that, and carry it out later. */
type Decided = ReplyOf<'POST /{merchant_id}/payments/{payment_id}/hold/capture'>
type Results = Record<string, Decided | Refused>

function ManyDialog({
  kind,
  holds: marked,
  onClose,
}: {
  kind: 'capture' | 'void'
  holds: ListedHold[]
  onClose: (has_begun: boolean) => void
}) {
  // Those that are decided leave the list behind while the dialog still reports on them.
  const [holds] = useState(marked)
  const [results, setResults] = useState<Results>({})
  const [is_busy, setBusy] = useState(false)
  const decide = useDecision(kind)
  const [wrong, setWrong] = useState<Refused | null>(null)
  const open = holds.filter(({ payment_id }) => isOpen(results[payment_id]))
  // Under its key only the very same reason may be sent again.
  const is_fixed = is_busy || Object.keys(results).length > 0
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (is_busy) return
    const note = (textsOf(event.currentTarget).note ?? '').trim()
    setBusy(true)
    setWrong(null)
    for (const { payment_id } of open) {
      const result = await decide(payment_id, note)
      // What is wrong with the reason is as wrong for all others.
      if (result instanceof Refused && result.status === 400) {
        setWrong(result)
        break
      }
      setResults((before) => ({ ...before, [payment_id]: result }))
      // Whoever turned the proof down would be asked again for each that is left.
      if (result instanceof Refused && result.code === 'proof_required') break
    }
    await forget('GET /{merchant_id}/holds', 'GET /{merchant_id}/payments')
    setBusy(false)
  }
  const sum = sumWords(open)
  const close = () => onClose(Object.keys(results).length > 0)
  return (
    <Dialog title={say(`${kind}_marked`)} is_busy={is_busy} onClose={close}>
      {open.length > 0 && <p>{say(`${kind}_words`, { amount: sum })}</p>}
      <ul className="items">
        {holds.map((hold) => (
          <li key={hold.payment_id}>
            <span>
              <Amount amount={hold.amount} currency={hold.currency} />{' '}
              <span className="hint">
                <bdi>{hold.order_reference}</bdi> {hold.customer_email}
              </span>{' '}
              <Escalation hold={hold} /> {kind === 'capture' && <OtherPayments others={hold.other_payments} />}
            </span>
            <Result result={results[hold.payment_id]} />
          </li>
        ))}
      </ul>
      {open.length > 0 && (
        <Form refused={wrong} onSubmit={(event) => void submit(event)}>
          <Field
            label={say('decision_note')}
            hint={say('decision_note_hint')}
            name="note"
            maxLength={255}
            readOnly={is_fixed}
          />
          <DialogActs>
            <Button is_busy={is_busy} onClick={close}>
              {say(is_fixed ? 'close' : 'cancel')}
            </Button>
            <Button look={kind === 'void' ? 'danger' : 'primary'} type="submit" is_busy={is_busy}>
              {say(`${kind}_amount`, { amount: sum })}
            </Button>
          </DialogActs>
        </Form>
      )}
    </Dialog>
  )
}

/** Not decided yet, or refused. */
function isOpen(result: Results[string] | undefined): boolean {
  return result === undefined || result instanceof Refused
}

function Result({ result }: { result: Results[string] | undefined }) {
  if (result === undefined) return null
  if (result instanceof Refused) return <span className="fault">{refusalWords(result)}</span>
  const { status, settlement } = result
  return settlement ? <Status status={status} text={say('decision_under_way')} /> : <Status status={status} />
}

/** A key for each payment, kept as long as the dialog: another try at one decides it once. */
function useDecision(kind: 'capture' | 'void') {
  const { merchant_id } = useHere()
  const keys = useRef(new Map<string, string>())
  return async (payment_id: string, note: string): Promise<Decided | Refused> => {
    const idempotency_key = keys.current.get(payment_id) ?? newIdempotencyKey()
    keys.current.set(payment_id, idempotency_key)
    const name = `POST /{merchant_id}/payments/{payment_id}/hold/${kind}` as const
    try {
      const body = note ? { note } : {}
      return await call(name, { merchant_id, payment_id, body }, { idempotency_key })
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  }
}

/** A sum for each currency. */
export function sumWords(holds: ListedHold[]): string {
  const sums = new Map<string, number>()
  for (const { currency, amount } of holds) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return [...sums].map(([currency, amount]) => amountWords(amount, currency)).join(', ')
}
