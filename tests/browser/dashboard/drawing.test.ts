// What stands in the place of a page that cannot be drawn.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Shopper } from '../shopper.ts'
import { playEach } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const place = `/dashboard/${samples.merchant_id}/test`

let standIn: StandIn
let person: Shopper
let page: Page

playEach(
  (played) => {
    standIn = played.standIn
    person = played.person
    page = played.page
  },
  { may_lose: true },
)

const open = (path: string) => page.goto(standIn.base_url + path)
const alert = () => page.getByRole('alert')

describe('where drawing fails', () => {
  test('the page says so and can be loaded again, and is not white', async () => {
    let is_broken = true
    standIn.on('GET /overview', () => (is_broken ? { body: { days: null } } : refuse(503, 'store_unavailable')))
    await open(`${place}/overview`)
    await alert().filter({ hasText: 'Something on this page went wrong' }).waitFor()
    is_broken = false
    await page.getByRole('button', { name: 'Reload' }).click()
    await alert().filter({ hasText: 'cannot be reached right now' }).waitFor()
    expect(person.faults.splice(0)[0]).toContain('TypeError')
  })

  test('a browser that does not know its zone shows UTC', async () => {
    await page.addInitScript(() => {
      const known = Intl.DateTimeFormat.prototype.resolvedOptions
      Intl.DateTimeFormat.prototype.resolvedOptions = function (this: Intl.DateTimeFormat) {
        const options = known.call(this)
        return { ...options, timeZone: options.timeZone === 'UTC' ? 'UTC' : 'Etc/Unknown' }
      }
    })
    await open(`${place}/overview`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})
