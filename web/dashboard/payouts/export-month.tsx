// A month of payouts as a file, whose lines add up to what the bank got.

import { type FormEvent, useState } from 'react'
import { callFile, addressOf as routeAddress } from '../client/call.ts'
import type { Refused } from '../client/refused.ts'
import { saveFile } from '../export/export.tsx'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'

export function ExportMonth({ onClose }: { onClose: () => void }) {
  const { merchant_id, mode } = useHere()
  const [month, setMonth] = useState(lastMonth)
  const [refused, setRefused] = useState<Refused | null>(null)
  const [is_busy, setBusy] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (is_busy) return
    setBusy(true)
    setRefused(null)
    const { address } = routeAddress('GET /{merchant_id}/export/payouts', { merchant_id, query: { mode, month } })
    callFile(address)
      .then((file) => {
        saveFile(file)
        onClose()
      }, setRefused)
      .finally(() => setBusy(false))
  }
  return (
    <Dialog title={say('export')} onClose={onClose}>
      <Form refused={refused} onSubmit={submit}>
        <p>{say('export_month_words')}</p>
        {/* Browsers without a field for months show one for text. */}
        <Field
          label={say('month')}
          member="month"
          type="month"
          pattern="20\d\d-(0[1-9]|1[0-2])"
          placeholder="2027-01"
          required
          value={month}
          onChange={({ target }) => setMonth(target.value)}
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

function lastMonth(): string {
  const at = new Date()
  at.setDate(0)
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}`
}
