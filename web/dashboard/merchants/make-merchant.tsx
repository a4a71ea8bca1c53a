// Makes a merchant in test mode and goes there, as its owner.

import type { FormEvent } from 'react'
import { useLocation } from 'wouter'
import { forget, useAct } from '../client/query.ts'
import { keepPlace } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'

export function MakeMerchant({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation()
  const act = useAct('POST /system/merchants', ['GET /system/merchants'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    const { name = '' } = textsOf(event.currentTarget)
    act.mutate(
      { body: { name } },
      {
        onSuccess: async ({ merchant_id }) => {
          // The page knows nothing of the merchant before it has read anew who the person is.
          keepPlace(merchant_id, 'test')
          await forget('GET /me')
          navigate(`/${merchant_id}/test/overview`)
        },
      },
    )
  }
  return (
    <Dialog title={say('make_a_merchant')} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error} onSubmit={submit}>
        <p>{say('make_a_merchant_words')}</p>
        <Field label={say('name')} hint={say('merchant_name_hint')} name="name" maxLength={100} required autoFocus />
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
