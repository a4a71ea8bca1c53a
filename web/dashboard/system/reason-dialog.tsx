// A decision of an operator that wants a reason, which is kept with their name.

import type { FormEvent, ReactNode } from 'react'
import type { Refused } from '../client/refused.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'

export function ReasonDialog({
  title,
  words,
  act,
  onReason,
  onClose,
}: {
  title: string
  words: ReactNode
  act: { error: Refused | null; isPending: boolean }
  onReason: (reason: string) => void
  onClose: () => void
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onReason(textsOf(event.currentTarget).reason ?? '')
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <p>{words}</p>
        <Field
          label={say('decision_reason')}
          hint={say('decision_reason_hint')}
          name="reason"
          maxLength={200}
          required
          autoFocus
        />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="danger" type="submit" is_busy={act.isPending}>
            {title}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
