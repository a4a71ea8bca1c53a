// Registers an address for events, and shows its signing secret this once.

import { type FormEvent, useState } from 'react'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field, Tick, Ticks, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say } from '../words.ts'
import { chosenEvents, EventTicks } from './event-choice.tsx'
import { standardSecret } from './standard-secret.ts'

const formats = [
  { value: 'ripper', text: 'Ripper' },
  { value: 'stripe', text: 'Stripe' },
]

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const { merchant_id } = useHere()
  const [is_missing, setMissing] = useState(false)
  const [event_format, setFormat] = useState('ripper')
  const act = useAct('POST /{merchant_id}/webhooks/endpoints', ['GET /{merchant_id}/webhooks/endpoints'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const { url = '' } = textsOf(event.currentTarget)
    const chosen = chosenEvents(event.currentTarget, event_format)
    setMissing(chosen === null)
    if (chosen === null) return
    const standard_webhooks = new FormData(event.currentTarget).has('standard_webhooks')
    act.mutate({
      merchant_id,
      body: { url: url.trim(), ...chosen, ...(standard_webhooks && { standard_webhooks }) },
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
            also={standardSecret(act.data)}
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
        <Choice
          label={say('event_format')}
          hint={say('event_format_hint')}
          name="event_format"
          value={event_format}
          options={formats}
          onChange={(event) => setFormat(event.currentTarget.value)}
        />
        <Ticks
          key={event_format}
          label={say('column_events')}
          members={['event_filter', 'extension_events']}
          hint={say('choose_events_words')}
          fault={is_missing ? say('choose_an_event') : null}
        >
          <EventTicks event_format={event_format} />
        </Ticks>
        <Tick label="Standard Webhooks" name="standard_webhooks" />
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
