// Makes a link that brings somebody in with a role. It is handed over by the person: this product sends no mail to staff.

import type { FormEvent } from 'react'
import type { Role } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say, sayCode } from '../words.ts'

const roles: Role[] = ['viewer', 'support', 'developer', 'admin', 'owner']

export function Invite({ onClose }: { onClose: () => void }) {
  const { merchant_id, membership } = useHere()
  const act = useAct('POST /{merchant_id}/team/invitations', ['GET /{merchant_id}/team'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const { email = '', role } = textsOf(event.currentTarget)
    act.mutate({ merchant_id, body: { email: email.trim(), role: role as Role } })
  }
  if (act.data) {
    return (
      <Dialog title={say('invitation_link')} onClose={null}>
        <div className="form">
          <SecretRegion
            label={say('invitation_link')}
            texts={[act.data.url]}
            note={say('invitation_link_words', { email: act.data.email })}
            onKept={onClose}
          />
        </div>
      </Dialog>
    )
  }
  const offered = roles.filter((role) => role !== 'owner' || membership.role === 'owner')
  return (
    <Dialog title={say('invite_title')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <Field label={say('email')} name="email" type="email" autoComplete="off" required autoFocus />
        <Choice
          label={say('role')}
          name="role"
          defaultValue="viewer"
          options={offered.map((value) => ({ value, text: sayCode('role', value) }))}
        />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {say('make_link')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
