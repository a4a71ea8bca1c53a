// What a charge through each connector costs this process, against a vendor on loopback in a process of its own.

import { randomBytes } from 'node:crypto'
import type { Acquirer, AuthoriseRequest } from '../src/acquirers/acquirer.ts'
import { openSimulator } from '../src/acquirers/simulated-acquirer/simulator.ts'
import { connectors } from '../src/connections/connectors.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { openLedger } from '../src/database/stores/simulator-ledger.ts'
import type { Clock } from '../src/kernel/world.ts'
import { openWorld, realClock } from '../src/outgoing/real-world.ts'
import { openVendorHttp } from '../src/outgoing/vendor-http.ts'
import { openWire } from '../src/vendor-wire/wire.ts'
import { median, type Table, whole } from './report.ts'
import { withDataFolder } from './service.ts'
import { type Vendors, withVendors } from './vendors.ts'

const at_once = 8
const target_us = 1_500

export async function connectorCosts({ quick }: { quick: boolean }): Promise<Table[]> {
  const charges = quick ? 400 : 2_000
  const clock = realClock()
  const http = openVendorHttp({ clock, allowed_networks: ['127.0.0.1'] })
  const rows = await withVendors((vendors) =>
    withDataFolder((data_dir) => measure(data_dir, { vendors, http, clock, charges })),
  ).finally(() => http.close())
  const notes = [
    `CPU time of this process, ${at_once} charges at once, ${charges} in each of five turns, over HTTP without TLS. For the simulator it is\nthe statement that writes its books. A charge at Stripe is three requests, elsewhere one.`,
  ]
  const headings = ['a charge through', 'µs of CPU', 'lowest', 'highest', 'target']
  return [{ name: 'connectors', headings, rows, notes }]
}

type Measuring = {
  vendors: Vendors
  http: ReturnType<typeof openVendorHttp>
  clock: Clock
  charges: number
}

async function measure(data_dir: string, { vendors, http, clock, charges }: Measuring): Promise<string[][]> {
  const world = openWorld({ log_level: 'error', clock_offset_seconds: 0 })
  const { log } = world
  const opening = { url: null, data_dir, connections_max: at_once, clock, log }
  const database = await openDatabase(opening)
  try {
    await migrate({ sql: database.sql, clock, log })
    const simulator = openSimulator(world, openLedger(database.sql))
    const acquirers = vendors.acquirers.map(({ name, credentials }) => {
      const connector = connectors.find((each) => each.name === name)!
      const named = { name: `${name}:bench`, installation: 'bench' }
      const wire = openWire(http)
      return connector.open!({ ...named, credentials: async () => credentials, wire, clock })
    })
    const measured: string[][] = []
    for (const acquirer of [simulator, ...acquirers]) measured.push(await rowOf(acquirer, charges))
    return measured
  } finally {
    await database.close()
  }
}

async function rowOf(acquirer: Acquirer, charges: number): Promise<string[]> {
  await chargeMany(acquirer, 200)
  const turns: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    const before = process.cpuUsage()
    await chargeMany(acquirer, charges)
    const { user, system } = process.cpuUsage(before)
    turns.push((user + system) / charges)
  }
  const [name] = acquirer.name.split(':')
  const shown = [median(turns), Math.min(...turns), Math.max(...turns)].map(whole)
  return [name!, ...shown, name === 'simulator' ? '' : `≤ ${whole(target_us)}`]
}

async function chargeMany(acquirer: Acquirer, charges: number): Promise<void> {
  let left = charges
  const line = async () => {
    while (left > 0) {
      left -= 1
      await charge(acquirer)
    }
  }
  await Promise.all(Array.from({ length: at_once }, line))
}

async function charge(acquirer: Acquirer): Promise<void> {
  const request: AuthoriseRequest = {
    reference: randomBytes(16).toString('hex'),
    installation: 'bench',
    amount: 4200,
    currency: 'GBP',
    capture: false,
    three_ds: null,
    handle: null,
    card: {
      brand: 'visa',
      number: '4242424242424242',
      exp_month: 12,
      exp_year: 2030,
      cvc: '123',
      cardholder_name: null,
    },
    merchant: { descriptor: 'Tea', mcc: null, country: null },
  }
  const prepared = await acquirer.prepare?.(request)
  const handle = prepared?.result === 'prepared' ? prepared.handle : null
  const { result } = await acquirer.authorise({ ...request, handle })
  if (result !== 'approved') throw new Error(`a charge was answered ${result}`)
}
