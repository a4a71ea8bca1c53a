// How long until somebody who is signed in sees the first payment at the dashboard, on the same 4G as the hosted page.

import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { answer } from '../tests/support/programs.ts'
import { measuredPage } from './page-visit.ts'
import { median, type Table, whole } from './report.ts'
import type { Started } from './service.ts'

const rows_shown = 50

type Visit = { row_ms: number; requests: number; bytes: number }

export async function dashboardPage(
  browser: Browser,
  { base_url, merchant_id }: Started,
  { data_dir, turns }: { data_dir: string; turns: number },
): Promise<Table> {
  const origin = `http://localhost:${new URL(base_url).port}`
  const context = await browser.newContext({ locale: 'en-GB' })
  const place = `/dashboard/${merchant_id}/test`
  await enter(context, await ownersLink(data_dir, merchant_id))
  await fill(context, `${origin}${place}/overview`, merchant_id)
  const first: Visit[] = []
  const again: Visit[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    first.push(await visit(context, `${origin}${place}/payments`, { is_cold: true }))
    again.push(await visit(context, `${origin}${place}/payments`, { is_cold: false }))
  }
  await context.close()
  const row = (name: string, visits: Visit[]) => [
    name,
    whole(median(visits.map(({ row_ms }) => row_ms))),
    whole(Math.max(...visits.map(({ row_ms }) => row_ms))),
    '< 1 500',
    whole(median(visits.map(({ requests }) => requests))),
    whole(median(visits.map(({ bytes }) => bytes))),
  ]
  return {
    name: 'dashboard-page',
    headings: ['dashboard on 4G', 'median ms', 'longest ms', 'target ms', 'requests', 'bytes'],
    rows: [row('first row of payments, nothing cached', first), row('later visit', again)],
    notes: ['Signed in, with 50 payments in the list, on the same 4G.'],
  }
}

async function ownersLink(data_dir: string, merchant_id: string): Promise<string> {
  const whose = ['--email', 'bench@shop.example', '--merchant', merchant_id, '--role', 'owner']
  const env = { RIPPER_DATA_DIR: data_dir }
  const { url } = await answer(['user', 'link', ...whose], { env })
  return url
}

async function enter(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('Name').fill('Bench')
  await page.getByRole('button', { name: 'Use a password instead' }).click()
  await page.getByLabel('Password').fill('a teapot of 1842')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.close()
}

/** Makes as many test payments as the list shows, by the page's own routes. */
async function fill(context: BrowserContext, address: string, merchant_id: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(address)
  const at = `/dashboard/api/${merchant_id}/test-payments`
  const make = `(async () => {
    const post = async (path, body) => {
      const headers = { 'content-type': 'application/json', 'rip-idempotency-key': crypto.randomUUID() }
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(await answer.text())
      return answer.json()
    }
    const { session_id } = await post('${at}', { outcome: 'paid' })
    await post('${at}/' + session_id + '/pay', {})
  })()`
  for (let made = 0; made < rows_shown; made += 1) await page.evaluate(make)
  await page.close()
}

async function visit(context: BrowserContext, address: string, { is_cold }: { is_cold: boolean }): Promise<Visit> {
  const { page, counted } = await measuredPage(context, { is_cold })
  await page.addInitScript(watchRows)
  await page.goto(address)
  const row_ms = await seen(page)
  await page.close()
  return { row_ms, ...counted() }
}

async function seen(page: Page): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    await pause(50)
    const row_ms = (await page.evaluate('self.row_ms')) as number | undefined
    if (row_ms) return row_ms
  }
  throw new Error('the dashboard did not show a payment')
}

/** In the page, at every frame that is drawn: is there a row? */
const watchRows = `
  requestAnimationFrame(function look() {
    if (document.querySelector('main tbody tr a')) self.row_ms = performance.now()
    else requestAnimationFrame(look)
  })`
