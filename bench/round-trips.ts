// How many statements each step sends to the database, counted inside one process.

import type { AddressInfo } from 'node:net'
import { keepMasterKey } from '../src/config/master-key.ts'
import { countStatements } from '../src/database/count.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { openKeyring } from '../src/kernel/keyring.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { assemble } from '../src/service/assemble.ts'
import { type Demo, keepDemo } from '../src/service/demo.ts'
import { type Client, openClients } from './load.ts'
import type { Table } from './report.ts'
import {
  browser,
  card,
  createRequest,
  nextKey,
  purchase,
  readRequest,
  requestBytes,
} from './requests.ts'
import { withDataFolder } from './service.ts'

const expected: Record<string, string> = {
  create: '1',
  'compatible create': '1',
  'compatible read': '1',
  'session read': '1 or 2',
  'card reference': '3 at most',
}

export async function roundTrips(): Promise<Table[]> {
  const rows = await withDataFolder(async (data_dir) => {
    const world = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
    const { clock, log } = world
    const count = countStatements()
    const { onStatement } = count
    // One connection: each statement is prepared once, and counted once after that.
    const options = { url: null, data_dir, connections_max: 1, clock, log, onStatement }
    const database = await openDatabase(options)
    const { sql } = database
    await migrate({ sql, clock, log })
    let base_url = ''
    const service = await assemble({
      world,
      database,
      keyring: openKeyring(keepMasterKey(data_dir, world.random), world.random),
      three_ds: null,
      simulator: 'on',
      webhook_urls: { judge: async () => null },
      wakeDeliveries: () => {},
      gateway_limit: 0,
      trusted_proxies: [],
      addresses: {
        base_url: () => base_url,
        pay_url: () => `${base_url}/pay`,
        internal_url: () => base_url,
      },
      pay_path: '/pay',
      demo_shop: () => null,
    })
    try {
      await service.app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
      base_url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
      const office = { sql, ids: service.context.ids, clock }
      const demo = await keepDemo(office, {
        ...{ data_dir, base_url },
        pay_url: `${base_url}/pay`,
      })
      const [client] = await openClients(base_url, 1)
      // The second time everything that is kept in memory is there.
      await walk(client!, demo, count)
      const rows = await walk(client!, demo, count)
      client!.close()
      return rows
    } finally {
      await service.close()
      await database.close()
    }
  })
  return [{ name: 'round-trips', headings: ['step', 'statements', 'target', 'of which'], rows }]
}

async function walk(
  client: Client,
  { secret_key, publishable_key, base_url }: Demo,
  count: ReturnType<typeof countStatements>,
): Promise<string[][]> {
  const rows: string[][] = []
  const send = async (step: string, request: Buffer) => {
    count.reset()
    const { status, body } = await client.send(request)
    if (status >= 300) throw new Error(`${step} answered ${status}`)
    const texts = count.texts()
    const verbs = texts.map((text) => /\b(select|insert|update|delete)\b/i.exec(text)?.[0] ?? text)
    const written = texts.filter((text) => /\b(insert into|update|delete from)\b/i.test(text))
    const kinds = `${verbs.length - written.length} read, ${written.length} write`
    rows.push([step, String(texts.length), expected[step] ?? '', kinds])
    return JSON.parse(body.toString()) as Record<string, string>
  }
  const pay = async (session: Record<string, string>, heading: (step: string) => string) => {
    const path = `/v1/checkout/sessions/${session.id}`
    const headers = { 'rip-client-secret': session.client_secret! }
    const inBrowser = (step: string, method: string, body?: object) =>
      requestBytes({ method, path: path + step, headers, body })
    const reference = inBrowser('/card_references', 'POST', card)
    const { card_reference } = await send(heading('card reference'), reference)
    const asked = { card_reference, browser }
    await send(heading('authenticate'), inBrowser('/authenticate', 'POST', asked))
    await send(heading('state'), inBrowser('/state', 'GET'))
    return send(heading('confirm'), inBrowser('/confirm', 'POST', {}))
  }
  const session = await send('create', createRequest(secret_key, nextKey()))
  await send('session read', readRequest(secret_key, `/v1/checkout/sessions/${session.id}`))
  const { payment_id } = await pay(session, (step) => step)
  await send('payment read', readRequest(secret_key, `/v1/payments/${payment_id}`))
  const intents = '/v1/payment_intents'
  const bearer = { authorization: `Bearer ${secret_key}` }
  const { id } = await send(
    'compatible create',
    requestBytes({
      method: 'POST',
      path: intents,
      headers: { ...bearer, 'idempotency-key': nextKey() },
      body: { amount: purchase.amount, currency: purchase.currency },
    }),
  )
  const path = `${intents}/${id}`
  await send('compatible read', requestBytes({ method: 'GET', path, headers: bearer }))
  const unverified = await send(
    'create by a page',
    requestBytes({
      method: 'POST',
      path: '/v1/checkout/public/sessions',
      headers: { origin: base_url, 'rip-idempotency-key': nextKey() },
      body: { ...purchase, public_key: publishable_key },
    }),
  )
  const held = await pay(unverified, (step) => `${step}, held`)
  await send(
    'hold capture',
    requestBytes({
      method: 'POST',
      path: `/v1/payments/${held.payment_id}/hold/capture`,
      headers: { 'x-service-api-key': secret_key, 'rip-idempotency-key': nextKey() },
    }),
  )
  return rows.filter(([step]) => !step!.endsWith(', held') || step === 'confirm, held')
}
