// A list as a file: of which days is said before it is made. The service may ask for proof first.

import { type FormEvent, useState } from 'react'
import { callFile } from '../client/call.ts'
import type { Refused } from '../client/refused.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { zone } from '../parts/zone.ts'
import { locale, say } from '../words.ts'
import { daysIn, files_max, filesOf, lastMonths, type Span, spanFault, spanOf } from './span.ts'

/** From when to when, as the routes of lists have it. */
type Times = { created_from: string; created_before: string }

/** What a file has rows of. */
export type ExportKind = {
  name: string
  words: string
  /** Where the file of these days is. */
  addressOf(times: Times & { zone: string }): string
  /** What the file comes to, said once it is saved. */
  summaryOf?(file: string): string
}

type ExportProps = {
  title: string
  kinds: [ExportKind, ...ExportKind[]]
  /** Of what the list shows; either may be left out. */
  shown: { [name in keyof Times]?: string | undefined }
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

function ExportDialog({ title, kinds, shown, onClose }: ExportProps & { onClose: () => void }) {
  const [span, setSpan] = useState(() => spanOf(shown, new Date()))
  const [chosen, setChosen] = useState(0)
  const kind = kinds[chosen] ?? kinds[0]
  const { refused, busy, savedOf, download } = useDownload(kind)
  const fault = spanFault(span)
  const files = fault === null ? filesOf(span) : []
  const [file] = files
  const is_one = files.length === 1
  const choices = [
    [say('last_month'), lastMonths(new Date(), 1)],
    [say('this_month'), lastMonths(new Date(), 0)],
    [say('last_quarter'), lastMonths(new Date(), 3)],
  ] as const
  const summary = file && is_one ? savedOf(file) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // What is said of a file must be read.
    if (file && is_one && busy === null) void download(file, kind.summaryOf ? undefined : onClose)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form refused={refused} onSubmit={submit}>
        {kinds.length > 1 && (
          <Choice
            label={say('column_kind')}
            value={String(chosen)}
            options={kinds.map(({ name }, at) => ({ value: String(at), text: name }))}
            onChange={({ target }) => setChosen(Number(target.value))}
          />
        )}
        <p>{kind.words}</p>
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
          fault={fault && say(fault, { years: files_max })}
          hint={fault === null && `${spanWords(span)} · ${zone}`}
        />
        {files.length > 1 && <FileOfEachYear files={files} savedOf={savedOf} busy={busy} onDownload={download} />}
        {summary && <p role="status">{summary}</p>}
        <DialogActs>
          <Button onClick={onClose}>{say(files.length > 1 || summary ? 'close' : 'cancel')}</Button>
          {files.length < 2 && (
            <Button look="primary" icon="download" type="submit" is_busy={busy !== null}>
              {say('download')}
            </Button>
          )}
        </DialogActs>
      </Form>
    </Dialog>
  )
}

/** Each is a press of its own: browsers stop a page that saves several files by itself. */
function FileOfEachYear(props: {
  files: Span[]
  savedOf(file: Span): string | undefined
  busy: string | null
  onDownload: (file: Span) => Promise<void>
}) {
  const { files, savedOf, busy, onDownload } = props
  return (
    <>
      <p>{say('export_in_files')}</p>
      <ul className="items">
        {files.map((file) => (
          <li key={file.from}>
            <span>
              {rangeWords(file)} <span className="hint">{savedOf(file)}</span>
            </span>
            <Button
              size="small"
              icon={savedOf(file) === undefined ? 'download' : 'done'}
              is_busy={busy === file.from}
              aria-label={`${say('download')} ${rangeWords(file)}`}
              onClick={() => busy === null && void onDownload(file)}
            >
              {say('download')}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

function rangeWords({ from, to }: Span): string {
  return dates.formatRange(new Date(from), new Date(to))
}

function spanWords(span: Span): string {
  return say('export_span', { span: rangeWords(span), days: daysIn(span) })
}

/** `busy` is the first day of the file that is being made. */
function useDownload({ name, addressOf, summaryOf }: ExportKind) {
  const [refused, setRefused] = useState<Refused | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  /** What was said of each file; empty where there is nothing to say. */
  const [saved, setSaved] = useState<Record<string, string>>({})
  const nameOf = (file: Span) => `${name} ${file.from} ${file.to}`
  async function download({ from, to }: Span, onDone?: () => void): Promise<void> {
    setBusy(from)
    setRefused(null)
    // Days are those of the person's clock, and the last one is a part of the span.
    const end = new Date(`${to}T00:00`)
    end.setDate(end.getDate() + 1)
    const times = {
      created_from: new Date(`${from}T00:00`).toISOString(),
      created_before: end.toISOString(),
      zone,
    }
    await callFile(addressOf(times)).then(async (file) => {
      saveFile(file)
      const summary = summaryOf?.(await file.blob.text()) ?? ''
      setSaved((before) => ({ ...before, [nameOf({ from, to })]: summary }))
      onDone?.()
    }, setRefused)
    setBusy(null)
  }
  const savedOf = (file: Span): string | undefined => saved[nameOf(file)]
  return { refused, busy, savedOf, download }
}

export function saveFile({ blob, name }: { blob: Blob; name: string }): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
