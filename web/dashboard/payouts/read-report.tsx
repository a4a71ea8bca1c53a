// Sends an acquirer's report in pieces, and has it read once all are there: all of it or nothing.

import { type FormEvent, useState } from 'react'
import { call } from '../client/call.ts'
import { forget } from '../client/query.ts'
import type { Refused } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { formatNumber, say } from '../words.ts'

/** As the service takes them. */
const piece_bytes = 90_000
const pieces_max = 256

type Result = { lines: number; matched: number; known: number; findings: number }

export function ReadReport({ connections, onClose }: { connections: string[]; onClose: () => void }) {
  const { merchant_id, mode } = useHere()
  const [refused, setRefused] = useState<Refused | null>(null)
  /** How much was sent, of 1; null while nothing is under way. */
  const [share, setShare] = useState<number | null>(null)
  const [is_too_big, setTooBig] = useState(false)
  const [result, setResult] = useState<Result | null>(null)

  async function send(file: File, connection: string, paid_on: string | null): Promise<void> {
    const upload_id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('')
    const pieces = Math.max(1, Math.ceil(file.size / piece_bytes))
    for (let piece = 0; piece < pieces; piece++) {
      setShare(piece / pieces)
      const bytes = await base64Of(file.slice(piece * piece_bytes, (piece + 1) * piece_bytes))
      await call('POST /{merchant_id}/payouts/pieces', { merchant_id, body: { mode, upload_id, piece, bytes } })
    }
    setShare(1)
    const body = { mode, upload_id, pieces, file_name: file.name, connection, paid_on }
    setResult(await call('POST /{merchant_id}/payouts/import', { merchant_id, body }))
    await forget('GET /{merchant_id}/payouts', 'GET /{merchant_id}/payouts/{payout_id}')
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (share !== null) return
    const typed = new FormData(event.currentTarget)
    const file = typed.get('file')
    if (!(file instanceof File)) return
    if (file.size > piece_bytes * pieces_max) {
      setTooBig(true)
      return
    }
    setRefused(null)
    setTooBig(false)
    send(file, String(typed.get('connection')), String(typed.get('paid_on')) || null)
      .catch(setRefused)
      .finally(() => setShare(null))
  }

  if (result) return <Done result={result} onClose={onClose} />
  return (
    <Dialog title={say('read_report')} onClose={onClose} is_busy={share !== null}>
      <Form refused={refused} onSubmit={submit}>
        <p>{say('read_report_words')}</p>
        <Choice
          label={say('report_connection')}
          name="connection"
          options={connections.map((label) => ({ value: label, text: label }))}
        />
        <Field
          label={say('report_file')}
          name="file"
          type="file"
          accept=".csv,text/csv,text/plain"
          required
          fault={is_too_big ? say('report_too_big') : null}
        />
        <Field label={say('paid_on')} name="paid_on" type="date" hint={say('paid_on_hint')} />
        {share !== null && (
          <p role="status">{say('report_sent', { percent: formatNumber(Math.round(share * 100)) })}</p>
        )}
        <DialogActs>
          <Button onClick={onClose} is_busy={share !== null}>
            {say('cancel')}
          </Button>
          <Button look="primary" type="submit" is_busy={share !== null}>
            {say('read_report')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}

function Done({ result, onClose }: { result: Result; onClose: () => void }) {
  const counts = Object.fromEntries(Object.entries(result).map(([name, count]) => [name, formatNumber(Number(count))]))
  return (
    <Dialog title={say('read_report')} onClose={onClose}>
      <p role="status">{say('report_read', counts)}</p>
      {result.findings > 0 && <p>{say('report_has_findings')}</p>}
      <DialogActs>
        <Button look="primary" onClick={onClose}>
          {say('close')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
