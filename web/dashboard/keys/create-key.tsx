// Makes a secret key and shows it this once.

import type { FormEvent } from 'react'
import type { NewKey } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field, Tick, Ticks } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say, sayCode } from '../words.ts'

export const key_permissions = [
  'create_payments',
  'read_transactions',
  'manage_webhooks',
  'decide_holds',
  'refund_payments',
] as const

export function CreateKey({ onClose }: { onClose: () => void }) {
  const { merchant_id, mode } = useHere()
  const act = useAct('POST /{merchant_id}/keys', ['GET /{merchant_id}/keys'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const form = new FormData(event.currentTarget)
    act.mutate({
      merchant_id,
      body: {
        name: String(form.get('name')),
        permissions: key_permissions.filter((each) => form.getAll('permission').includes(each)),
        mode: form.get('mode') as NewKey['mode'],
      },
    })
  }
  if (act.data) {
    return (
      <Dialog title={say('key_created')} onClose={null}>
        <div className="form">
          <SecretRegion
            label={say('secret_key')}
            texts={[act.data.secret_key]}
            note={say('secret_key_words')}
            onKept={onClose}
          />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={say('create_key')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <Field label={say('name')} hint={say('key_name_hint')} name="name" required autoFocus />
        <Ticks label={say('permissions')} members={['permissions']}>
          {key_permissions.map((each) => (
            <Tick
              key={each}
              name="permission"
              value={each}
              label={
                <>
                  {sayCode('permission', each)} <code>{each}</code>
                </>
              }
              defaultChecked={each === 'create_payments' || each === 'read_transactions'}
            />
          ))}
        </Ticks>
        <Choice
          label={say('mode')}
          name="mode"
          defaultValue={mode === 'live' ? 'any' : 'test_only'}
          options={['test_only', 'live_only', 'any'].map((value) => ({
            value,
            text: sayCode('key_mode', value),
          }))}
        />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('create')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
