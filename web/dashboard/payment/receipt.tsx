// The receipt of a payment: what became of each letter, what it says, and sending it again.

import { useState } from 'react'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { Button } from '../parts/button.tsx'
import { changeWords } from '../parts/change.ts'
import { Dialog, FormActs } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { say, sayCode } from '../words.ts'

/** Of a captured payment. */
export function Receipt({ payment_id }: { payment_id: string }) {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payments/{payment_id}/receipt', { merchant_id, payment_id })
  return (
    <Section title={say('receipt')} label={say('receipt')}>
      <Loaded answer={answer} rows={2}>
        {({ receipt, people }) =>
          receipt && (
            <>
              <ul className="items">
                {receipt.letters.map(({ state, at, actor }) => (
                  <li key={`${state} ${at}`}>
                    <span>{changeWords(`receipt.${state}`)}</span>
                    <span className="hint">
                      {state === 'asked' && <Actor actor={actor} people={people} />} <Moment at={at} is_exact />
                    </span>
                  </li>
                ))}
              </ul>
              {receipt.waiting_since && <p className="hint">{say('receipt_waits')}</p>}
              {receipt.hindrance && <p className="hint">{sayCode('receipt_hindrance', receipt.hindrance)}</p>}
              <details>
                <summary>{receipt.subject}</summary>
                <p className="hint">{say('receipt_text_hint')}</p>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
                <pre tabIndex={0} dir="auto">
                  {receipt.text}
                </pre>
              </details>
              {!receipt.hindrance && !receipt.waiting_since && <SendAgain payment_id={payment_id} to={receipt.to} />}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function SendAgain({ payment_id, to }: { payment_id: string; to: string | null }) {
  const { merchant_id, may } = useHere()
  const [is_open, setOpen] = useState(false)
  const act = useAct('POST /{merchant_id}/payments/{payment_id}/receipt', [
    'GET /{merchant_id}/payments/{payment_id}/receipt',
    'GET /{merchant_id}/payments/{payment_id}/timeline',
  ])
  const close = () => setOpen(false)
  if (!may('read_shoppers')) return null
  return (
    <p className="acts">
      <Button size="small" onClick={() => setOpen(true)}>
        {say('receipt_send_again')}
      </Button>
      {is_open && (
        <Dialog title={say('receipt_send_again')} onClose={close} is_busy={act.isPending}>
          <Form
            refused={act.error}
            onSubmit={(event) => {
              event.preventDefault()
              act.mutate({ merchant_id, payment_id, body: {} }, { onSuccess: close })
            }}
          >
            <p>{say('receipt_send_words', { email: to ?? '–' })}</p>
            <FormActs is_busy={act.isPending} onClose={close}>
              {say('receipt_send_again')}
            </FormActs>
          </Form>
        </Dialog>
      )}
    </p>
  )
}
