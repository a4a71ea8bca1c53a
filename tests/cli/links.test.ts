// `ripper link`, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { answer, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { client, account } = service
const env = settingsOf(service, master_key)
const merchant = ['--merchant', account.merchant_id]
const create = (...more: string[]) => ['link', 'create', ...merchant, '--amount', '4200', '--currency', 'gbp', ...more]

test('a link is made, listed, shown, opened and withdrawn', async () => {
  const link = await answer(
    create('--description', 'Two cups', '--max-payments', '2', '--base-url', service.base_url),
    {
      env,
    },
  )
  expect(link).toMatchObject({ status: 'active', mode: 'test', amount: 4200, currency: 'GBP', max_payments: 2 })
  expect((await client.send('POST', new URL(link.url).pathname, { body: {} })).body.status).toBe('active')
  const { payment_links } = await answer(['link', 'list', ...merchant, '--base-url', service.base_url], { env })
  expect(payment_links).toEqual([link])
  expect((await ripper(['link', 'list', ...merchant], { env })).stdout).toMatch(/GBP 42\.00 +active +0 of 2 +Two cups/)
  expect(await answer(['link', 'show', link.id, ...merchant, '--base-url', service.base_url], { env })).toEqual(link)
  expect((await answer(['link', 'disable', link.id, ...merchant], { env })).status).toBe('disabled')
  const lines = await service.sql`
    select change, actor from journal where subject = ${link.id} order by change`
  expect(lines).toEqual([
    { change: 'payment_link.created', actor: 'operator' },
    { change: 'payment_link.disabled', actor: 'operator' },
  ])
})

test.each([
  [create('--expires-at', '2020-01-01T00:00:00Z'), 1, /expires_at must be in the future/],
  [create('--max-payments', '0'), 2, /--max-payments must be a whole number/],
  [create('--mode', 'live'), 1, /live/],
  [['link', 'show', 'x', ...merchant], 2, /LINK_ID must be plink_/],
  [['link', 'disable', `plink_${'0'.repeat(24)}`, ...merchant], 1, /no payment link with this id/],
])('%j ends with %i', async (args, status, words) => {
  const run = await ripper(args, { env })
  expect([run.status, run.stderr]).toEqual([status, expect.stringMatching(words)])
})
