// The guides to what becomes of a payment, followed line by line, against a service that `ripper serve` started.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { columnsOf, fileOf, stripeCells } from '../payouts/reports.ts'
import type { Json } from '../support/client.ts'
import { readGuide } from '../support/guide-blocks.ts'
import { openGuides } from '../support/guide-service.ts'
import { ripper } from '../support/programs.ts'

const { folder, run, there, ...guides } = openGuides()
let demo: Json
beforeAll(() => {
  demo = guides.demo()
})

describe('capture.md', () => {
  const { blocks, not_run } = readGuide('docs/capture.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['setting', 'capture', 'command'])
  })

  test('an integration is set, and two payments are captured in part', async () => {
    const { merchant_id } = demo
    const made = await ripper(['integration', 'create', '--merchant', merchant_id, '--name', 'depot', '--json'], there)
    const { integration_id } = JSON.parse(made.stdout)
    expect(await run(`INTEGRATION=${integration_id}\n${blocks.setting!}`)).toMatch(/capture +manual/)
    const [payment, other] = await Promise.all(
      [1, 2].map(
        async () => JSON.parse((await ripper(['trigger', 'payment.held', '--json'], there)).stdout).payment_id,
      ),
    )
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment} OTHER=${other}\n`
    expect(JSON.parse(await run(set + blocks.capture!))).toMatchObject({ status: 'captured', captured_amount: 3000 })
    expect(await run(set + blocks.command!)).toContain('The acquirer has taken GBP 12.00 of GBP 42.00')
  }, 60_000)
})

describe('payment-links.md', () => {
  const { blocks, not_run } = readGuide('docs/payment-links.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['create', 'command'])
  })

  test('a link is made in two ways, and the first is opened', async () => {
    const set = `API=${demo.base_url} KEY=${demo.secret_key}\n`
    const link = JSON.parse(await run(set + blocks.create!))
    expect(link).toMatchObject({ status: 'active', max_payments: 1, payments_count: 0 })
    expect(await (await fetch(link.url)).text()).toContain('One teapot')
    const listed = await run(set + blocks.command!)
    expect(listed.match(/0 of 1 +One teapot/g)).toHaveLength(2)
  }, 60_000)
})

describe('payouts.md', () => {
  const { blocks, not_run } = readGuide('docs/payouts.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['import', 'show', 'read', 'export'])
  })

  test('a report is read, shown and exported', async () => {
    const { merchant_id } = demo
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ secret_key: 'sk_test_a', webhook_secret: 'whsec_a' }),
    )
    const connection = ['connection', 'create', '--merchant', merchant_id, '--acquirer', 'stripe', '--label', 'payouts']
    const credentials = ['--mode', 'sandbox', '--credentials', join(folder, 'credentials.json')]
    const made = await ripper([...connection, ...credentials], there)
    expect(made.status, made.stderr).toBe(0)
    const line = {
      balance_transaction_id: 'txn_1',
      payment_intent_id: 'pi_1',
      gross: '42.00',
      fee: '1.25',
      net: '40.75',
    }
    writeFileSync(join(folder, 'report.csv'), fileOf(columnsOf.stripe, [stripeCells(line)]))
    const set = `API=${demo.base_url} KEY=${demo.secret_key} MERCHANT=${merchant_id} LABEL=payouts\n`
    const read = await run(set + blocks.import!)
    expect(read).toMatch(/findings +1/)
    const [id] = /po_[0-9a-f]{24}/.exec(read)!
    const shown = await run(`${set}PAYOUT=${id}\n${blocks.show!}`)
    expect(shown).toMatch(/GBP 40\.75[\s\S]*no payment of the connection has this id/)
    expect(JSON.parse(await run(set + blocks.read!)).data).toMatchObject([{ id, net: 4075, paid_on: '2027-01-31' }])
    await run(set + blocks.export!)
    expect(readFileSync(join(folder, 'payouts.csv'), 'utf8')).toContain(',42.00,1.25,40.75,GBP,')
  }, 60_000)
})

describe('refunds.md', () => {
  const { blocks, not_run } = readGuide('docs/refunds.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['refund', 'command', 'read', 'endpoint'])
  })

  test('a payment is refunded in two ways, and both are read', async () => {
    const trigger = await ripper(['trigger', 'payment.captured', '--json'], there)
    const { payment_id } = JSON.parse(trigger.stdout)
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment_id}\n`
    const refund = JSON.parse(await run(set + blocks.refund!))
    expect(refund).toMatchObject({ amount: 1200, status: 'succeeded' })
    const commanded = await run(set + blocks.command!)
    expect(commanded).toContain('The acquirer has refunded GBP 10.00.')
    expect(commanded).toContain('Of GBP 42.00 captured, GBP 20.00 is left to refund.')
    const read = await run(`${set}REFUND=${refund.id}\n${blocks.read!}`)
    expect(read.split(refund.id)).toHaveLength(3)
    const endpoint = JSON.parse(await run(set + blocks.endpoint!))
    expect(endpoint.extension_events).toEqual(['refund.succeeded', 'refund.failed'])
    expect((await ripper(['endpoint', 'delete', endpoint.id], there)).status).toBe(0)
  }, 60_000)
})

describe('disputes.md', () => {
  const { blocks, not_run } = readGuide('docs/disputes.md')

  test('has no block that is not run here', () => {
    expect(not_run).toEqual([])
    expect(Object.keys(blocks)).toEqual(['endpoint', 'dispute', 'read', 'refund', 'end'])
  })

  test('a dispute is opened, told, refunded all the same and won', async () => {
    const trigger = await ripper(['trigger', 'payment.captured', '--json'], there)
    const { payment_id } = JSON.parse(trigger.stdout)
    const set = `API=${demo.base_url} KEY=${demo.secret_key} PAYMENT=${payment_id}\n`
    const endpoint = JSON.parse(await run(set + blocks.endpoint!))
    expect(endpoint.extension_events).toEqual(['dispute.opened', 'dispute.closed'])
    expect(await run(set + blocks.dispute!)).toMatch(/dsp_[0-9a-f]{24} +pay_[0-9a-f]{24} +GBP 42\.00 +needs_response/)
    expect(JSON.parse(await run(set + blocks.read!)).data[0]).toMatchObject({ payment_id, status: 'needs_response' })
    const refused = await ripper(['refund', 'create', payment_id, '--amount', '1200'], there)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('dispute')])
    expect(await run(set + blocks.refund!)).toContain('The acquirer has refunded GBP 12.00.')
    expect(await run(set + blocks.end!)).toMatch(/status +won/)
    expect((await ripper(['endpoint', 'delete', endpoint.id], there)).status).toBe(0)
  }, 60_000)
})
