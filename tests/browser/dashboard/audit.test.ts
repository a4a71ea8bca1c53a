// The journal is looked through, leads on by its ids and goes into a file; its rows and those of requests have one height each.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newShopper, picture } from '../shopper.ts'
import * as more from './more-samples.ts'
import { openPlayed } from './played.ts'
import * as samples from './samples.ts'

const { browser, standIn } = await openPlayed()

const place = `/dashboard/${samples.merchant_id}/test`
const { id } = samples

type Query = Record<string, string>

async function visit(
  path: string,
  act: (page: Page) => Promise<void>,
  outfit: Parameters<typeof newShopper>[2] = {},
): Promise<void> {
  const { page, context, faults } = await newShopper(browser, standIn.base_url, outfit)
  await page.clock.setFixedTime(samples.now)
  await page.goto(`${standIn.base_url}${place}/${path}`)
  await act(page)
  await context.close()
  expect(faults).toEqual([])
}

const listed = (data: unknown[]) => ({ data, people: {}, has_more: false, next_cursor: null })

test('search, kind and days stand in the address, and lead to the route', async () => {
  const asked: Query[] = []
  standIn.on('GET /audit', ({ query }) => {
    asked.push(query)
    return { body: listed(query.search ? [] : more.audit) }
  })
  await visit('audit', async (page) => {
    await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Keys' })
    await page.getByLabel('Since').fill('2026-11-01')
    await page.getByLabel('Until').fill('2026-11-02')
    const box = page.getByRole('searchbox', { name: 'Search the journal' })
    await box.fill('Key created')
    await box.press('Enter')
    await page.getByText('No line matches.').waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('kind'), searchParams.get('search')]).toEqual(['keys', 'Key created'])
    const last = asked.at(-1)!
    expect(last).toMatchObject({ kind: 'keys', search: 'Key created' })
    // The words of the page, by which the service knows no change.
    expect(last.meant!.split(',')).toContain('key_created')
    const days = [last.created_from, last.created_before].map((each) => Date.parse(each!))
    expect(days[1]! - days[0]!).toBe(2 * 86_400_000)
    await page.getByRole('button', { name: 'Remove the filter Key created' }).click()
    await page.getByText('Joined the team').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe(null)
  })
})

test('an export says what has left', async () => {
  const [line] = more.audit
  const made = (number: number, change: string, of: string) => ({
    ...line,
    entry_id: id('jrn', number),
    change,
    detail: { of },
  })
  const lines = [
    made(1, 'export.made', 'movements'),
    made(2, 'export.begun', 'movements'),
    made(3, 'export.made', 'payments'),
  ]
  standIn.on('GET /audit', () => ({ body: listed(lines) }))
  await visit('audit', async (page) => {
    await page.getByText('Captures and refunds exported').waitFor()
    const cells = await page.getByRole('table').getByRole('row').locator('td:first-child').allTextContents()
    expect(cells).toEqual([
      'Captures and refunds exported',
      'Export of captures and refunds begun',
      'Payments exported',
    ])
  })
})

test('what the rules did to a hold says whether nobody had decided in time', async () => {
  const [line] = more.audit
  const decided = (number: number, change: string, after: number) => ({
    ...line,
    entry_id: id('jrn', number),
    ...{ change, actor: 'rules', at: samples.ago(10 - after), hold_deadline: samples.ago(10) },
  })
  const lines = [
    decided(1, 'payment.voided', 1),
    decided(2, 'payment.captured', -1),
    decided(3, 'hold.escalated', -1),
    { ...decided(4, 'payment.voided', 1), hold_deadline: null },
  ]
  standIn.on('GET /audit', () => ({ body: listed(lines) }))
  await visit('audit?by=all', async (page) => {
    const words = ['The rules, at the deadline', 'The rules, below the limit', 'Rules', 'Rules']
    for (const [index, each] of words.entries())
      await page
        .getByRole('row')
        .nth(index + 1)
        .getByText(each, { exact: true })
        .waitFor()
  })
})

test('what people did comes first; what anybody did is a choice, and a search looks at all of it', async () => {
  const asked: Query[] = []
  standIn.on('GET /audit', ({ query }) => {
    asked.push(query)
    return { body: listed(more.audit) }
  })
  await visit('audit', async (page) => {
    const who = page.getByRole('combobox', { name: 'Who' })
    await page.getByText('Joined the team').waitFor()
    expect(asked.at(-1)).toMatchObject({ by: 'people' })
    await who.selectOption({ label: 'What anybody did' })
    await expect.poll(() => asked.at(-1)?.by).toBeUndefined()
    expect(new URL(page.url()).searchParams.get('by')).toBe('all')
    await who.selectOption({ label: 'What people did' })
    await page.waitForURL((url) => !url.searchParams.has('by'))
    const box = page.getByRole('searchbox', { name: 'Search the journal' })
    await box.fill('pay_1')
    await box.press('Enter')
    await expect.poll(() => asked.at(-1)?.search).toBe('pay_1')
    expect(asked.at(-1)!.by).toBeUndefined()
    expect(await who.count()).toBe(0)
  })
})

test.each([
  ['nothing so far, of which older lines may match', 0, true, 'Nothing found so far.'],
  ['nothing at all', 0, false, 'No line matches.'],
  ['some, of which older lines may match', 3, true, 'Searched back to '],
])('a search finds %s', async (_, count, has_more, words) => {
  const data = more.audit.slice(0, count)
  const next_cursor = has_more ? 'next' : null
  standIn.on('GET /audit', () => ({ body: { data, people: {}, has_more, next_cursor } }))
  await visit('audit?search=Jo', async (page) => {
    await page.getByText(words).waitFor()
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(has_more ? 1 : 0)
    await picture(page, `dashboard-audit-${count}-${has_more ? 'more' : 'end'}`)
  })
})

test('what the filters show goes into a file', async () => {
  const asked: Query[] = []
  standIn.on('GET /audit', () => ({ body: listed(more.audit) }))
  standIn.on('GET /audit/export', ({ query }) => {
    asked.push(query)
    return { body: 'at', file: 'journal-2026-10-01-2026-10-31.csv' }
  })
  await visit('audit?kind=team&search=jo', async (page) => {
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export the journal' })
    await dialog.getByRole('button', { name: 'Last month' }).click()
    await picture(page, 'dashboard-audit-export')
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('journal-2026-10-01-2026-10-31.csv')
    await dialog.waitFor({ state: 'detached' })
  })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ kind: 'team', search: 'jo' })
})

describe('an id leads to what it names', () => {
  const hex = '0123456789abcdef01234567'
  const session_id = `cs_${hex}`
  const rows: [string, string | null][] = [
    [`pay_${hex}`, `payments/pay_${hex}`],
    [session_id, `payments/${session_id}`],
    // Of what no screen shows, the session that it belongs to.
    [`att_${hex}`, `payments/${session_id}`],
    [`ref_${hex}`, `refunds?refund_id=ref_${hex}`],
    [`whep_${hex}`, `webhooks?row=whep_${hex}`],
    [`key_${hex}`, `keys?row=key_${hex}`],
    [`rip_pk_${hex}${hex}`, `keys?row=rip_pk_${hex}${hex}`],
    [`int_${hex}`, `integrations?row=int_${hex}`],
    [`conn_${hex}`, `connections?row=conn_${hex}`],
    [`usr_${hex}`, `team?row=usr_${hex}`],
    [`lnk_${hex}`, `team?row=lnk_${hex}`],
    [samples.merchant_id, null],
  ]

  test('each in its row', async () => {
    const data = rows.map(([subject], at) => ({
      ...more.audit[0]!,
      entry_id: id('jrn', at),
      subject,
      actor: `key key_${hex}`,
      session_id: /^(att|ref)/.test(subject) ? session_id : null,
    }))
    standIn.on('GET /audit', () => ({ body: listed(data) }))
    await visit('audit', async (page) => {
      for (const [at, [subject, path]] of rows.entries()) {
        const row = page.getByRole('row').nth(at + 1)
        await row.getByText(subject).first().waitFor()
        const links = row.getByRole('cell').nth(2).getByRole('link')
        const hrefs = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))
        expect([subject, ...hrefs]).toEqual([subject, ...(path ? [`${place}/${path}`] : [])])
        const actor = row.getByRole('cell').nth(1).getByRole('link')
        expect(await actor.getAttribute('href')).toBe(`${place}/keys?row=key_${hex}`)
      }
    })
  })

  const many = <Row extends object>(row: Row, own: (n: number) => Partial<Row>) =>
    Array.from({ length: 60 }, (_, n) => ({ ...row, ...own(n) }))
  const [key, member, endpoint] = [samples.keys[0]!, samples.team.members[0]!, samples.endpoints[0]!]
  const integration = more.integrations[0]!
  const public_key = `rip_pk_${hex}${hex}`

  test.each<[string, string, object, string]>([
    [id('key', 47), 'GET /keys', { keys: many(key, (n) => ({ key_id: id('key', n), name: `key ${n}` })) }, 'key 47'],
    [
      public_key,
      'GET /keys',
      {
        keys: many(key, (n) => ({
          key_id: id('key', n),
          name: `key ${n}`,
          publishable_key: n === 41 ? public_key : null,
        })),
      },
      'key 41',
    ],
    [
      id('usr', 52),
      'GET /team',
      { ...samples.team, members: many(member, (n) => ({ user_id: id('usr', n), name: `person ${n}` })) },
      'person 52',
    ],
    [
      id('whep', 33),
      'GET /webhooks/endpoints',
      {
        endpoints: many(endpoint, (n) => ({ id: id('whep', n), url: `https://shop.example/${n}` })),
        retry_delays_seconds: [5],
      },
      'https://shop.example/33',
    ],
    [
      id('int', 22),
      'GET /integrations',
      { integrations: many(integration, (n) => ({ integration_id: id('int', n), name: `place ${n}` })) },
      'place 22',
    ],
  ])('%s is marked in its list and in sight', async (subject, route, body, text) => {
    standIn.on(route, () => ({ body }))
    standIn.on('GET /audit', () => ({ body: listed([{ ...more.audit[0]!, subject, session_id: null }]) }))
    const isInSight = async (page: Page) => {
      const row = page.locator('[aria-current=true]').filter({ hasText: text })
      await row.waitFor()
      const box = async () => (await row.boundingBox())!
      await expect.poll(async () => (await box()).y).toBeGreaterThan(0)
      await expect.poll(async () => (await box()).y).toBeLessThan(700)
    }
    // From a line of the journal, and by an address that somebody sent.
    await visit('audit', async (page) => {
      await page.getByRole('row').nth(1).getByRole('link').last().click()
      await isInSight(page)
      const { href } = new URL(page.url())
      await page.goto(`${standIn.base_url}/dashboard`)
      await page.goto(href)
      await isInSight(page)
    })
    standIn.reset()
  })

  test('not where the person may not go', async () => {
    standIn.on('GET /audit', () => ({ body: listed([more.audit[0]!]) }))
    const permissions = { test: ['read_audit' as const], live: [] }
    const membership = { ...samples.me.memberships[0]!, permissions }
    standIn.on('GET /me', () => ({ body: { ...samples.me, memberships: [membership] } }))
    await visit('audit', async (page) => {
      const row = page.getByRole('row').nth(1)
      await row.waitFor()
      expect(await row.getByRole('link').count()).toBe(0)
    })
    standIn.reset()
  })
})

describe.each([390, 768, 1280, 1920])('at %i pixels', (width) => {
  const hex = 'fedcba9876543210fedcba98'
  const long_path = `/v1/payments/pay_${hex}/refunds/and/more/that/nobody/could/read/on/one/line`
  const requests = more.requests.map((each, at) => ({
    ...each,
    request_id: `req_${hex.slice(1)}${at}`,
    key_id: `key_${hex}`,
    ...(at === 1 && { path: long_path, route: long_path, code: 'three_ds_provider_unavailable' }),
    ...(at === 1 && { field: 'customer.metadata.a_name_of_forty_characters_or_so' }),
  }))
  const lines = more.audit.map((each, at) => ({
    ...each,
    ...(at === 1 && { subject: `rip_pk_${hex}${hex}`, actor: 'visitor', change: 'sign_in.locked' }),
  }))

  test.each(['audit', 'requests', 'requests?recent'])('each row of %s has one height', async (path) => {
    standIn.on('GET /audit', () => ({ body: listed(lines) }))
    standIn.on('GET /requests', () => ({ body: listed(requests) }))
    standIn.on('GET /requests/recent', () => ({ body: { data: requests, keeps_refused: true } }))
    await visit(
      path,
      async (page) => {
        const rows = page.locator('tbody tr')
        await rows.first().waitFor()
        const heights = await rows.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
        expect(heights.length).toBeGreaterThan(2)
        expect(heights).toEqual(heights.map(() => heights[0]))
        const ids = page.locator('tbody .id:visible')
        const boxes = await ids.evaluateAll((all) => all.map((each) => each.getClientRects().length))
        expect(new Set(boxes)).toEqual(new Set([1]))
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
        await picture(page, `dashboard-even-${path.replace('?', '-')}-${width}`)
      },
      { viewport: { width, height: 900 } },
    )
  })
})

test('what a leaked key did is one step from its row, and the page says what it does not have', async () => {
  const { key_id, name } = samples.keys[0]!
  const acts: Query[] = []
  const refusals: Query[] = []
  standIn.on('GET /audit', ({ query }) => {
    acts.push(query)
    const data = [{ ...more.audit[0]!, actor: `key ${key_id}` }]
    return { body: { ...listed(data), people: { [key_id!]: name } } }
  })
  standIn.on('GET /requests', ({ query }) => {
    refusals.push(query)
    return { body: { ...listed(more.requests), key_names: { [key_id!]: name } } }
  })
  await visit('keys', async (page) => {
    await page.getByRole('link', { name: 'What it did' }).click()
    await page.getByText('What it read is not written down').waitFor()
    // The name stands in the chip and in the row.
    await page.getByRole('button', { name: `Remove the filter ${name}` }).waitFor()
    await page.getByRole('cell').getByRole('link', { name: name! }).waitFor()
    expect(acts.at(-1)).toMatchObject({ actor: `key ${key_id}` })
    expect(acts.at(-1)).not.toHaveProperty('by')
    await page.getByRole('link', { name: 'What it was refused' }).click()
    await page.getByRole('button', { name: `Remove the filter ${name}` }).waitFor()
    expect(await page.getByRole('button', { name: `Only those with ${name}` }).count()).toBe(more.requests.length)
    expect(refusals.at(-1)).toMatchObject({ asker_id: key_id })
    await page.getByRole('button', { name: `Remove the filter ${name}` }).click()
    await expect.poll(() => refusals.at(-1)).not.toHaveProperty('asker_id')
  })
  standIn.reset()
})
