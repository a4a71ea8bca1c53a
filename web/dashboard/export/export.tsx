// Payments as a file: of which days is said before it is made. The service may ask for proof first.

import { type FormEvent, useState } from 'react'
import { addressOf, callFile } from '../client/call.ts'
import type { Refused } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert, refusalWords } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { locale, say } from '../words.ts'
import { daysIn, lastMonths, type Span, spanFault, spanOf } from './export-span.ts'
import type { Filters } from './filters.ts'

export function ExportButton({ filters }: { filters: Filters }) {
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        {say('export')}
      </Button>
      {is_open && <ExportDialog filters={filters} onClose={() => setOpen(false)} />}
    </>
  )
}

function ExportDialog({ filters, onClose }: { filters: Filters; onClose: () => void }) {
  const [span, setSpan] = useState(() => spanOf(filters, new Date()))
  const { refused, is_busy, download } = useDownload(filters, onClose)
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
  const is_field = refused?.field === 'created_from' || refused?.field === 'created_before'
  return (
    <Dialog title={say('export_title')} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p>{say('export_words')}</p>
        <div className="chips">
          {choices.map(([words, chosen]) => (
            <button key={words} type="button" className="chip" onClick={() => setSpan(chosen)}>
              {words}
            </button>
          ))}
        </div>
        <Field
          label={say('export_from')}
          type="date"
          required
          value={span.from}
          onChange={({ target }) => setSpan({ ...span, from: target.value })}
          fault={is_field ? refusalWords(refused) : null}
        />
        <Field
          label={say('export_to')}
          type="date"
          required
          value={span.to}
          onChange={({ target }) => setSpan({ ...span, to: target.value })}
          fault={fault && faultWords(fault)}
          hint={fault === null && spanWords(span)}
        />
        <RefusalAlert refused={is_field ? null : refused} />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" icon="download" type="submit" is_busy={is_busy}>
            {say('download')}
          </Button>
        </DialogActs>
      </form>
    </Dialog>
  )
}

function faultWords({ key, days }: NonNullable<ReturnType<typeof spanFault>>): string {
  return say(key, { days })
}

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

function spanWords({ from, to }: Span): string {
  const span = dates.formatRange(new Date(from), new Date(to))
  return say('export_span', { span, days: daysIn({ from, to }) })
}

function useDownload(filters: Filters, onDone: () => void) {
  const { merchant_id, mode } = useHere()
  const [refused, setRefused] = useState<Refused | null>(null)
  const [is_busy, setBusy] = useState(false)
  async function download({ from, to }: Span): Promise<void> {
    setBusy(true)
    setRefused(null)
    // Days are those of the person's clock, and the last one is a part of the span.
    const end = new Date(`${to}T00:00`)
    end.setDate(end.getDate() + 1)
    const span = {
      created_from: new Date(`${from}T00:00`).toISOString(),
      created_before: end.toISOString(),
    }
    const query = { mode, ...filters, ...span }
    const { address } = addressOf('GET /{merchant_id}/export', { merchant_id, query })
    await callFile(address).then((file) => {
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
