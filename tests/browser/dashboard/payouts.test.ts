// Reports of payouts at the dashboard: a file goes in pieces, is read once all are there, and what does not fit is said.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desktop, newShopper } from '../shopper.ts'
import { openPlayed } from './played.ts'
import * as samples from './samples.ts'

const { browser, standIn } = await openPlayed()
const place = `/dashboard/${samples.merchant_id}/test/payouts`

async function visit(act: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, faults } = await newShopper(browser, standIn.base_url, { viewport: desktop })
  await page.clock.setFixedTime(samples.now)
  await page.goto(`${standIn.base_url}${place}`)
  await act(page)
  await context.close()
  expect(faults).toEqual([])
}

const file = { name: 'report.csv', mimeType: 'text/csv', buffer: Buffer.alloc(100_000, 'a,b\n') }

test('a report goes in pieces, and what became of it is said', async () => {
  const pieces: { piece: number; bytes: string }[] = []
  standIn.on('POST /payouts/pieces', ({ body }) => {
    pieces.push(body as { piece: number; bytes: string })
    return { status: 204, body: null }
  })
  const asked: unknown[] = []
  standIn.on('POST /payouts/import', ({ body }) => {
    asked.push(body)
    return { body: { lines: 98, matched: 90, known: 6, findings: 2, payouts: [] } }
  })
  await visit(async (page) => {
    await page.getByRole('button', { name: 'Read a report' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('File').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Read a report' }).click()
    await dialog.getByText('98 lines read: 90 fit, 6 were known, 2 do not fit.').waitFor()
  })
  expect(Buffer.concat(pieces.map(({ bytes }) => Buffer.from(bytes, 'base64'))).equals(file.buffer)).toBe(true)
  expect(pieces.map(({ piece }) => piece)).toEqual([0, 1])
  expect(asked).toMatchObject([{ mode: 'test', pieces: 2, file_name: 'report.csv', connection: 'main', paid_on: null }])
})

test('a line that cannot be read is said at the file', async () => {
  standIn.on('POST /payouts/pieces', () => ({ status: 204, body: null }))
  const message = 'report.csv, line 3, column "net": must be an amount, such as -12.30. Nothing was kept.'
  standIn.on('POST /payouts/import', () => ({
    status: 400,
    body: { error: 'invalid_request', message, field: 'file' },
  }))
  await visit(async (page) => {
    await page.getByRole('button', { name: 'Read a report' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('File').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Read a report' }).click()
    await dialog.getByText(message).waitFor()
  })
})
