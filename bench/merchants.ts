// Whether load that is spread over many merchants is served like the same load of one.

import { keepMasterKey } from '../src/config/master-key.ts'
import { openDatabase } from '../src/database/open.ts'
import { permissions } from '../src/http/access.ts'
import { openIds } from '../src/kernel/ids.ts'
import { openKeyring } from '../src/kernel/keyring.ts'
import type { MerchantId } from '../src/kernel/values.ts'
import { createIntegration, createKey, createMerchant, type ManageContext } from '../src/merchants/manage.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { closedLoad, type Load, openClients, type Work } from './load.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { withDataFolder, withService } from './service.ts'
import { creating, openTill } from './work.ts'

type Account = { secret_key: string }

const numbers = [1, 100, 1_000]
const works = [
  { name: 'session create', at_once: 64, of: (account: Account) => creating(account) },
  { name: 'whole checkout', at_once: 32, of: (account: Account) => openTill(account).pay },
]
const least_ratio = 0.9

export async function manyMerchants({ quick }: { quick: boolean }): Promise<Table[]> {
  const [turns, seconds] = quick ? [3, 1] : [9, 3]
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const most = Math.max(...numbers)
      const accounts = await makeMerchants(data_dir, most)
      const clients = await openClients(service.base_url, Math.max(...works.map((work) => work.at_once)))
      const rows: string[][] = []
      for (const { name, at_once, of } of works) {
        const all = accounts.map(of)
        const sides = numbers.map((number) => ({ number, work: inTurn(all.slice(0, number)) }))
        const found = new Map<number, Load[]>(numbers.map((number) => [number, []]))
        // The first turn warms up.
        for (let turn = 0; turn <= turns; turn++) {
          for (const { number, work } of turn % 2 === 0 ? sides : sides.toReversed()) {
            const load = await closedLoad(clients.slice(0, at_once), { seconds }, work)
            if (turn > 0) found.get(number)!.push(load)
          }
        }
        rows.push(...rowsOf(name, found))
      }
      for (const client of clients) client.close()
      const notes = [
        `Medians of ${turns} × ${seconds} s, turn by turn; ${works.map(({ name, at_once }) => `${at_once} × ${name}`).join(', ')} at once.`,
      ]
      return [{ name: 'merchants', headings, rows, notes }]
    }),
  )
}

const headings = ['', 'merchants', '/s', 'p50 ms', 'p99 ms', 'of one merchant’s rate', 'target']

/** The works of the merchants in turn, from one load to the next. */
function inTurn(all: Work[]): Work {
  let begun = 0
  return (client, index) => all[begun++ % all.length]!(client, index)
}

function rowsOf(name: string, found: Map<number, Load[]>): string[][] {
  const rateOf = (loads: Load[]) => median(loads.map(({ done, seconds }) => done / seconds))
  const one = rateOf(found.get(1)!)
  return [...found].map(([number, loads]) => {
    const failed = loads.reduce((sum, load) => sum + load.failed, 0)
    if (failed > 0) throw new Error(`${failed} of ${name} failed with ${number} merchants`)
    const time = (share: number) => median(loads.map(({ latencies_ms }) => percentile(latencies_ms, share))).toFixed(1)
    const ratio = number === 1 ? '' : (rateOf(loads) / one).toFixed(2)
    const target = number === 1 ? '' : `≥ ${least_ratio}`
    return [name, whole(number), whole(rateOf(loads)), time(0.5), time(0.99), ratio, target]
  })
}

async function makeMerchants(data_dir: string, count: number): Promise<Account[]> {
  const world = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
  const { clock, log, random } = world
  const database = await openDatabase({ url: null, data_dir, connections_max: 2, clock, log })
  const ids = openIds(random, openKeyring(keepMasterKey(data_dir, random), random))
  const office: ManageContext = { sql: database.sql, ids, clock, actor: 'service' }
  const accounts: Account[] = []
  while (accounts.length < count) accounts.push(await makeMerchant(office))
  await database.close()
  return accounts
}

export async function makeMerchant(office: ManageContext): Promise<Account & { merchant_id: MerchantId }> {
  const { merchant_id } = await createMerchant(office, {
    name: 'One of many',
    live: false,
    live_enabled: false,
    acquiring_profile: null,
  })
  const rules = { name: 'default', is_default: true, allowed_origins: [] }
  await createIntegration(office, merchant_id, rules, { take: ['is_default'] })
  const { secret_key } = await createKey(office, merchant_id, {
    permissions: [...permissions],
    mode: 'any',
    allowed_addresses: [],
    allowed_origins: [],
    expires_at: null,
    pair: true,
  })
  return { merchant_id, secret_key }
}
