// How many statements each step sends to the database, counted inside one process.

import type { AddressInfo } from 'node:net'
import { assemble } from '../src/assemble.ts'
import { countStatements } from '../src/database/count.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { keepDemo } from '../src/demo.ts'
import { openKeyring } from '../src/keyring.ts'
import { keepMasterKey } from '../src/master-key.ts'
import { openWorld } from '../src/real-world.ts'
import { type Client, openClients } from './load.ts'
import type { Table } from './report.ts'
import { browser, card, createRequest, nextKey, readRequest, requestBytes } from './requests.ts'
import { withDataFolder } from './service.ts'

const expected: Record<string, string> = {
  create: '1',
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
      webhook_urls: { judge: () => null },
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
      const { secret_key } = await keepDemo(office, {
        ...{ data_dir, base_url },
        pay_url: `${base_url}/pay`,
      })
      const [client] = await openClients(base_url, 1)
      // The second time everything that is kept in memory is there.
      await walk(client!, secret_key, count)
      const rows = await walk(client!, secret_key, count)
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
  secret_key: string,
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
  const { id, client_secret } = await send('create', createRequest(secret_key, nextKey()))
  const path = `/v1/checkout/sessions/${id}`
  const inBrowser = (step: string, method: string, body?: object) =>
    requestBytes({
      method,
      path: path + step,
      headers: { 'rip-client-secret': client_secret! },
      body,
    })
  await send('session read', readRequest(secret_key, path))
  const { card_reference } = await send(
    'card reference',
    inBrowser('/card_references', 'POST', card),
  )
  await send('authenticate', inBrowser('/authenticate', 'POST', { card_reference, browser }))
  await send('state', inBrowser('/state', 'GET'))
  const { payment_id } = await send('confirm', inBrowser('/confirm', 'POST', {}))
  await send('payment read', readRequest(secret_key, `/v1/payments/${payment_id}`))
  return rows
}
