// A person's own filters of a list, each by a name: to open one, to save what the list is narrowed to, and to delete.

import { type FormEvent, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { SavedFilter as Saved } from '../client/answers.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs, FormActs } from '../parts/dialog.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Menu } from '../parts/menu.tsx'
import { say } from '../words.ts'

const route = 'GET /{merchant_id}/saved-filters'

/** `screen` is the list's place in addresses. */
export function SavedFilters({ list, screen }: { list: Saved['list']; screen: string }) {
  const { merchant_id, pathOf } = useHere()
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  // A row that is in sight is no filter.
  query.delete('row')
  const { data } = useAnswer(route, { merchant_id })
  const [dialog, setDialog] = useState<'save' | 'delete' | null>(null)
  const saved = data?.saved.filter((each) => each.list === list) ?? []
  if (saved.length === 0 && query.size === 0) return null
  const close = () => setDialog(null)
  const acts = [
    ...saved.map(({ name, filters }) => ({
      id: `open ${name}`,
      text: name,
      act: () => navigate(pathOf(`${screen}${filters}`)),
    })),
    ...(query.size > 0 ? [{ id: 'save', text: say('filter_save'), act: () => setDialog('save') }] : []),
    ...(saved.length > 0 ? [{ id: 'delete', text: say('filter_delete'), act: () => setDialog('delete') }] : []),
  ]
  return (
    <>
      <Menu size="small" label={say('saved_filters')} acts={acts}>
        {say('saved_filters')}
      </Menu>
      {dialog === 'save' && <SaveDialog list={list} filters={`?${query}`} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog saved={saved} onClose={close} />}
    </>
  )
}

function SaveDialog({ list, filters, onClose }: { list: Saved['list']; filters: string; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/saved-filters', [route])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { name = '' } = textsOf(event.currentTarget)
    act.mutate({ merchant_id, body: { list, name, filters } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('filter_save')} onClose={onClose} is_busy={act.isPending}>
      <Form refused={act.error} onSubmit={submit}>
        <Field label={say('name')} hint={say('filter_name_hint')} name="name" maxLength={60} required />
        <FormActs is_busy={act.isPending} onClose={onClose}>
          {say('save')}
        </FormActs>
      </Form>
    </Dialog>
  )
}

function DeleteDialog({ saved, onClose }: { saved: Saved[]; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/saved-filters', [route])
  return (
    <Dialog title={say('filter_delete')} onClose={onClose} is_busy={act.isPending}>
      <RefusalAlert refused={act.error} />
      <ul className="items">
        {saved.map(({ list, name }) => (
          <li key={name}>
            <bdi>{name}</bdi>
            <Button
              size="small"
              is_busy={act.isPending}
              aria-label={say('filter_delete_one', { name })}
              onClick={() => act.mutate({ merchant_id, body: { list, name, filters: null } })}
            >
              {say('delete')}
            </Button>
          </li>
        ))}
      </ul>
      <DialogActs>
        <Button onClick={onClose}>{say('close')}</Button>
      </DialogActs>
    </Dialog>
  )
}
