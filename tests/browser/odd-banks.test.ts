// Banks whose pages ask, open windows and apps, or bear no frame: each is passed, in the dialog or in full, and the shop keeps its page.

import type { FrameLocator, Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { type OddBank, openOddBank } from './odd-bank.ts'
import { of, shopVisits } from './shop-visits.ts'
import { bankDialog, bankPage, cards, payButton, typeCard } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()
const { newSession, shopPage, readSession } = shopVisits(theatre)

/** `pass`: what the shopper does at the bank. `around` is the page with the bank's page in it, or the bank's page itself. */
type Row = OddBank & {
  pass?: (bank: FrameLocator | Page, around: Page) => Promise<void>
}

const confirm = (bank: FrameLocator | Page) => bank.getByRole('button', { name: 'Confirm' }).click()

/** Presses something that opens a window of the bank, and agrees there. */
async function agree(bank: FrameLocator | Page, around: Page): Promise<void> {
  const opening = around.waitForEvent('popup')
  await bank.getByText('Read the terms').click()
  await (await opening).getByRole('button', { name: 'Agree' }).click()
}
// Only a window that is not sandboxed may do so.
const terms = {
  '/terms': `<button onclick="opener.document.forms[0].submit();close()">Agree</button>`,
}

const framed: [string, Row][] = [
  ['just asks', { page: (form) => form }],
  [
    'has a link to its app',
    {
      page: (form) => `<a href="bankid:///x">Open the app</a>${form}`,
      async pass(bank) {
        await bank.getByText('Open the app').click()
        await confirm(bank)
      },
    },
  ],
  ['wakes its app by itself', { page: (form) => `${form}<script>location.href = 'bankid:///x'</script>` }],
  [
    'opens a window by a link',
    {
      page: (form) => `<a href="/terms" target="_blank" rel="opener">Read the terms</a>${form}`,
      more: terms,
      pass: agree,
    },
  ],
  [
    'opens a window by its script',
    {
      page: (form) => `<button onclick="window.open('/terms')">Read the terms</button>${form}`,
      more: terms,
      pass: agree,
    },
  ],
  [
    'asks in a dialog of the browser',
    {
      page: (form) => form.replace('<form', `<form onsubmit="return confirm('Sure?')"`),
      async pass(bank, around) {
        around.once('dialog', (dialog) => dialog.accept())
        await confirm(bank)
      },
    },
  ],
]

const in_full_only: [string, Row][] = [
  ['forgets where the shopper came from', { page: (form) => form, forgets: true }],
  ['must not be framed', { page: (form) => form, headers: { 'x-frame-options': 'DENY' } }],
  [
    'must not be framed by others, by its policy',
    { page: (form) => form, headers: { 'content-security-policy': "frame-ancestors 'self'" } },
  ],
  [
    'knows its shopper by a cookie of its own site',
    {
      page: (form) => form,
      cookie: 'known=1',
      async pass(bank) {
        await confirm(bank)
        await confirm(bank)
      },
    },
  ],
  [
    'ends the check from a frame of its own',
    {
      page: (form) =>
        `<iframe srcdoc="${form.replace('<form', '<form target=_parent').replaceAll('"', '&quot;')}"></iframe>`,
      pass: (bank) => confirm(bank.frameLocator('iframe') as FrameLocator),
    },
  ],
]

const banks: Awaited<ReturnType<typeof openOddBank>>[] = []
afterEach(async () => {
  await Promise.all(banks.splice(0).map((bank) => bank.close()))
})

/** A shopper whom the bank asks, at an address of a shop. */
async function checkOf(row: OddBank, address: string): Promise<Page> {
  const bank = await openOddBank(row)
  banks.push(bank)
  const { stage } = theatre
  const { page, context } = await theatre.enter({ origins: [stage.shop.origin, bank.origin] })
  await bank.standIn(stage, context)
  await page.goto(address)
  await typeCard(page, cards.passes)
  await payButton(page).click()
  await bankDialog(page).waitFor()
  return page
}

async function inFull(page: Page): Promise<void> {
  await bankDialog(page).getByRole('link', { name: "Open the bank's page in full" }).click()
  await page.waitForURL(/localhost/, { waitUntil: 'commit' })
}

function pay(page: Page) {
  return page.getByRole('heading', { name: 'Payment complete' }).waitFor()
}

/** The browser says that it has no such app, and what it does not frame. */
function forgiveBank(): void {
  const { faults } = theatre.shopper
  const others = faults.filter((each) => !/bankid:|Refused to display|Framing '/.test(each))
  faults.splice(0, faults.length, ...others)
}

describe('a bank that', () => {
  test.each(framed)('%s, in the dialog', async (_, { pass = confirm, ...row }) => {
    const session = await newSession()
    const page = await checkOf(row, shopPage(of(session)))
    await pass(bankPage(page), page)
    await pay(page)
    expect(await readSession(session)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
    forgiveBank()
  })

  test.each([...framed, ...in_full_only])('%s, in full', async (_, { pass = confirm, ...row }) => {
    const session = await newSession()
    const shop = shopPage(of(session))
    const page = await checkOf(row, shop)
    await inFull(page)
    await pass(page, page)
    await pay(page)
    expect(page.url()).toBe(shop)
    expect(await readSession(session)).toMatchObject({ status: 'succeeded', attempt_count: 1 })
    forgiveBank()
  })

  test.each([
    ['by itself', `<script>top.location = 'https://evil.example/'</script>`],
    ['at a press', `<button onclick="top.location = 'https://evil.example/'">Read the terms</button>`],
    ['from a window of its own', `<a href="/away" target="_blank" rel="opener">Read the terms</a>`],
  ])("would lead the shop's page away, %s: cannot", async (_, way) => {
    const session = await newSession()
    const shop = shopPage(of(session))
    const more = { '/away': `<script>opener.top.location = 'https://evil.example/'</script>` }
    const page = await checkOf({ page: (form) => way + form, more }, shop)
    const opening = way.includes('/away') ? page.waitForEvent('popup') : null
    if (way.includes('terms')) await bankPage(page).getByText('Read the terms').click()
    await (await opening)?.waitForLoadState()
    await confirm(bankPage(page))
    await pay(page)
    expect(page.url()).toBe(shop)
    theatre.shopper.faults.length = 0
  })
})
