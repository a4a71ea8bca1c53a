// Registers an address for events, and shows its signing secret this once.

import { type FormEvent, useState } from 'react'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, Tick, Ticks, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say, sayCode } from '../words.ts'

const payment_events = [
  'payment.captured',
  'payment.held',
  'payment.voided',
  'payment.declined',
  'payment.failed',
] as const
const refund_events = ['refund.succeeded', 'refund.failed'] as const

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const { merchant_id } = useHere()
  const [is_missing, setMissing] = useState(false)
  const act = useAct('POST /{merchant_id}/webhooks/endpoints', ['GET /{merchant_id}/webhooks/endpoints'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const { url = '' } = textsOf(event.currentTarget)
    const ticked = new FormData(event.currentTarget).getAll('event')
    const event_filter = payment_events.filter((type) => ticked.includes(type))
    const extension_events = refund_events.filter((type) => ticked.includes(type))
    if (event_filter.length === 0) return setMissing(true)
    setMissing(false)
    act.mutate({
      merchant_id,
      body: {
        url: url.trim(),
        // None stands for all, those of later releases too.
        event_filter: event_filter.length === payment_events.length ? [] : event_filter,
        ...(extension_events.length > 0 && { extension_events }),
      },
    })
  }
  if (act.data) {
    return (
      <Dialog title={say('endpoint_added')} onClose={null}>
        <div className="form">
          <SecretRegion
            label={say('signing_secret')}
            texts={[act.data.signing_secret]}
            note={say('signing_secret_words')}
            onKept={onClose}
          />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={say('add_endpoint')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <Field
          label={say('endpoint_url')}
          hint={say('endpoint_url_hint')}
          name="url"
          inputMode="url"
          placeholder="https://"
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus
        />
        <Ticks
          label={say('column_events')}
          members={['event_filter', 'extension_events']}
          hint={say('choose_events_words')}
          fault={is_missing ? say('choose_an_event') : null}
        >
          {[...payment_events, ...refund_events].map((type) => (
            <Tick
              key={type}
              label={sayCode('event', type)}
              hint={<code>{type}</code>}
              name="event"
              value={type}
              defaultChecked
            />
          ))}
        </Ticks>
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('add')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
