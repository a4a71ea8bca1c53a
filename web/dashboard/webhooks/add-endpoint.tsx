// Registers an address for events, and shows its signing secret this once.

import type { FormEvent } from 'react'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert, refusalWords } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say } from '../words.ts'

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/webhooks/endpoints', [
    'GET /{merchant_id}/webhooks/endpoints',
  ])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const { url = '' } = textsOf(event.currentTarget)
    act.mutate({ merchant_id, body: { url: url.trim() } })
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
  const url_fault = act.error?.code === 'invalid_url' ? refusalWords(act.error) : null
  return (
    <Dialog title={say('add_endpoint')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
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
          aria-invalid={url_fault ? true : undefined}
        />
        <RefusalAlert refused={act.error} />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('add')}
          </Button>
        </DialogActs>
      </form>
    </Dialog>
  )
}
