// A list as a file: of which days is said before it is made. The service may ask for proof first.

import { type FormEvent, useState } from 'react'
import { callFile } from '../client/call.ts'
import type { Refused } from '../client/refused.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { locale, say } from '../words.ts'
import { daysIn, lastMonths, type Span, spanFault, spanOf } from './span.ts'

/** From when to when, as the routes of lists have it. */
export type Times = { created_from: string; created_before: string }

type ExportProps = {
  title: string
  words: string
  /** Of what the list shows; either may be left out. */
  shown: Partial<Times>
  /** Where the file of these days is. */
  addressOf(times: Times): string
}

export function ExportButton(props: ExportProps) {
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        {say('export')}
      </Button>
      {is_open && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function ExportDialog({
  title,
  words,
  shown,
  addressOf,
  onClose,
}: ExportProps & { onClose: () => void }) {
  const [span, setSpan] = useState(() => spanOf(shown, new Date()))
  const { refused, is_busy, download } = useDownload(addressOf, onClose)
  const fault = spanFault(span)
  const choices = [
    [say('last_month'), lastMonths(new Date(), 1)],
    [say('this_month'), lastMonths(new Date(), 0)],
    [say('last_quarter'), lastMonths(new Date(), 3)],
  ] as const
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fault === null && !is_busy) void download(span)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form refused={refused} onSubmit={submit}>
        <p>{words}</p>
        <div className="chips">
          {choices.map(([name, chosen]) => (
            <button key={name} type="button" className="chip" onClick={() => setSpan(chosen)}>
              {name}
            </button>
          ))}
        </div>
        <Field
          label={say('export_from')}
          member="created_from"
          type="date"
          required
          value={span.from}
          onChange={({ target }) => setSpan({ ...span, from: target.value })}
        />
        <Field
          label={say('export_to')}
          member="created_before"
          type="date"
          required
          value={span.to}
          onChange={({ target }) => setSpan({ ...span, to: target.value })}
          fault={fault && say(fault.key, { bound: fault.days })}
          hint={fault === null && spanWords(span)}
        />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" icon="download" type="submit" is_busy={is_busy}>
            {say('download')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

function spanWords({ from, to }: Span): string {
  const span = dates.formatRange(new Date(from), new Date(to))
  return say('export_span', { span, days: daysIn({ from, to }) })
}

function useDownload(addressOf: ExportProps['addressOf'], onDone: () => void) {
  const [refused, setRefused] = useState<Refused | null>(null)
  const [is_busy, setBusy] = useState(false)
  async function download({ from, to }: Span): Promise<void> {
    setBusy(true)
    setRefused(null)
    // Days are those of the person's clock, and the last one is a part of the span.
    const end = new Date(`${to}T00:00`)
    end.setDate(end.getDate() + 1)
    const times = {
      created_from: new Date(`${from}T00:00`).toISOString(),
      created_before: end.toISOString(),
    }
    await callFile(addressOf(times)).then((file) => {
      save(file)
      onDone()
    }, setRefused)
    setBusy(false)
  }
  return { refused, is_busy, download }
}

function save({ blob, name }: { blob: Blob; name: string }): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
