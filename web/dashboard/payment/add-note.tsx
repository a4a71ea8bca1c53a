// A note on a payment, which its timeline shows from then on.

import { type FormEvent, useState } from 'react'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, FormActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'

export function AddNote({ payment_id }: { payment_id: string }) {
  const { may } = useHere()
  const [is_open, setOpen] = useState(false)
  if (!may('read_shoppers')) return null
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {say('note_add')}
      </Button>
      {is_open && <NoteDialog payment_id={payment_id} onClose={() => setOpen(false)} />}
    </>
  )
}

function NoteDialog({ payment_id, onClose }: { payment_id: string; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/payments/{payment_id}/notes', [
    'GET /{merchant_id}/payments/{payment_id}/timeline',
  ])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { note = '' } = textsOf(event.currentTarget)
    act.mutate({ merchant_id, payment_id, body: { note } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('note_add')} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error} onSubmit={submit}>
        <Field label={say('note')} hint={say('note_hint')} name="note" maxLength={255} required />
        <FormActs is_busy={act.isPending} onClose={onClose}>
          {say('save')}
        </FormActs>
      </Form>
    </Dialog>
  )
}
