// Whole checkouts of test mode, and the same with the card's bank and the acquirer in a process of their own, as live ones have
// them: what a checkout costs each side.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, closedLoad, openClients } from './load.ts'
import { cpuSeconds, familyCpuSeconds } from './proc.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { databasePid, type Started, withDataFolder, withService } from './service.ts'
import { type Vendors, withVendors } from './vendors.ts'
import { openTill, type Till } from './work.ts'

const clients_at_once = 32
const ripper = fileURLToPath(new URL('../bin/ripper.mjs', import.meta.url))

type Side = { name: string; till: Till; clients: Client[]; spent(): Spent }
/** Seconds of CPU time so far. */
type Spent = { service: number; postgresql: number; vendors: number }
type Turn = { per_second: number; p50_ms: number; p99_ms: number; spent_ms: Spent }

export async function elsewhere({ quick }: { quick: boolean }): Promise<Table[]> {
  const length = quick ? { turns: 2, seconds: 1.5 } : { turns: 7, seconds: 5 }
  return withDataFolder((folder) => {
    makeCertificate(folder)
    return withVendors(
      (vendors) =>
        withSide('bank and acquirer inside, simulated', folder, {}, (inside) =>
          withSide('in a process of their own', folder, { vendors }, (outside) =>
            withSide('the same, by TLS', folder, { vendors, by_tls: true }, async (by_tls) => [
              tableOf(await takeTurns([inside, outside, by_tls], length), length),
            ]),
          ),
        ),
      folder,
    )
  })
}

/** For 127.0.0.2, for a day. */
function makeCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  const named = ['-subj', '/CN=127.0.0.2', '-addext', 'subjectAltName=IP:127.0.0.2', '-days', '1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync('openssl', ['req', ...kind, ...named, ...files], { stdio: 'ignore' })
}

type Where = { vendors?: Vendors; by_tls?: boolean }

async function withSide<T>(
  name: string,
  folder: string,
  { vendors, by_tls = false }: Where,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const data_dir = join(folder, `${by_tls}-${vendors !== undefined}`)
  mkdirSync(data_dir)
  const settings = {
    RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
  }
  const working = async (service: Started) => {
    if (vendors) connectTo(vendors, { data_dir, service, by_tls, settings })
    const serving = await databasePid(data_dir)
    const clients = await openClients(service.base_url, clients_at_once)
    const spent = () => ({
      service: cpuSeconds(service.pid),
      postgresql: familyCpuSeconds(serving),
      vendors: vendors ? cpuSeconds(vendors.pid) : 0,
    })
    const result = await work({ name, till: openTill(service), clients, spent })
    for (const client of clients) client.close()
    return result
  }
  return withService(data_dir, working, settings)
}

type Connecting = {
  data_dir: string
  service: Started
  by_tls: boolean
  settings: NodeJS.ProcessEnv
}

/** The merchant's test sessions are paid for over connections to both vendors from now on. */
function connectTo(vendors: Vendors, { data_dir, service, by_tls, settings }: Connecting): void {
  const env = { ...process.env, ...settings, RIPPER_DATA_DIR: data_dir }
  const run = (...args: string[]) => {
    execFileSync(process.execPath, [ripper, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const [acquirer] = vendors.acquirers
  const { merchant_id } = service
  const connect = (kind: string, label: string, credentials: object) => {
    const file = join(data_dir, `${label}.json`)
    writeFileSync(file, JSON.stringify(credentials))
    const named = ['--label', label, '--mode', 'sandbox', '--credentials', file]
    run('connection', 'create', '--merchant', merchant_id, ...named, ...kind.split(' '))
  }
  const api_url = by_tls ? { api_url: vendors.tls_url! } : {}
  connect(`--acquirer ${acquirer!.name}`, 'acquirer', { ...acquirer!.credentials, ...api_url })
  connect('--three-ds 3dsecureio', 'bank', vendors.three_ds)
  const test = ['--test-connection', 'acquirer', '--test-connection', 'bank']
  const own = ['--name', 'elsewhere', '--default', '--replace-default', ...test]
  run('integration', 'create', '--merchant', merchant_id, ...own)
}

type Length = { turns: number; seconds: number }

/** The first turn warms each side up. */
async function takeTurns(sides: Side[], { turns, seconds }: Length): Promise<Map<string, Turn[]>> {
  const all = new Map<string, Turn[]>(sides.map(({ name }) => [name, []]))
  for (let turn = -1; turn < turns; turn += 1) {
    for (const side of sides) {
      const measured = await measure(side, seconds)
      if (turn >= 0) all.get(side.name)!.push(measured)
    }
  }
  return all
}

async function measure({ name, till, clients, spent }: Side, seconds: number): Promise<Turn> {
  const before = spent()
  const load = await closedLoad(clients, { seconds }, till.pay)
  const after = spent()
  if (load.failed > 0) throw new Error(`${load.failed} checkouts failed: ${name}`)
  const each = (who: keyof Spent) => ((after[who] - before[who]) * 1000) / load.done
  return {
    per_second: load.done / load.seconds,
    p50_ms: percentile(load.latencies_ms, 0.5),
    p99_ms: percentile(load.latencies_ms, 0.99),
    spent_ms: {
      service: each('service'),
      postgresql: each('postgresql'),
      vendors: each('vendors'),
    },
  }
}

function tableOf(all: Map<string, Turn[]>, { turns, seconds }: Length): Table {
  const rows = [...all].map(([name, measured]) => {
    const of = (value: (turn: Turn) => number) => median(measured.map(value))
    const spent = (who: keyof Spent) => of((turn) => turn.spent_ms[who])
    const ours_ms = of(({ spent_ms }) => spent_ms.service + spent_ms.postgresql)
    return [
      name,
      whole(of((turn) => turn.per_second)),
      of((turn) => turn.p50_ms).toFixed(0),
      of((turn) => turn.p99_ms).toFixed(0),
      ...[spent('service'), spent('postgresql'), ours_ms, spent('vendors')].map((ms) => ms.toFixed(2)),
    ]
  })
  const notes = [
    `Medians of ${turns} turns of ${seconds} s, ${clients_at_once} at once. CPU time a checkout, in milliseconds. Outside, a checkout is two requests to the bank's side and one to the acquirer, Checkout.com's fake.`,
  ]
  const cpu = ['service', 'PostgreSQL', 'both', 'vendors'].map((who) => `${who}, ms of CPU`)
  return { name: 'elsewhere', headings: ['', '/s', 'p50 ms', 'p99 ms', ...cpu], rows, notes }
}
