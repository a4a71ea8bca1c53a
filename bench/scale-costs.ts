// What a checkout costs each side, measured in some forty seconds.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, closedLoad, type Load, openClients, openLoad } from './load.ts'
import { machine, percentile } from './report.ts'
import { browser, card, createRequest, nextKey, requestBytes } from './requests.ts'
import { type Figures, type LoadCost, type StepName, step_names } from './scale-figures.ts'
import { countFlushes } from './scale-flushes.ts'
import { openWatch, spentBetween, type Watch } from './scale-watch.ts'
import { barePool, type Started, withDataFolder, withService } from './service.ts'
import { openTill, type Till } from './work.ts'

const loads = [
  { per_second: 50, at_once: null },
  { per_second: 100, at_once: null },
  { per_second: 200, at_once: null },
  { per_second: 300, at_once: null },
  { per_second: null, at_once: 32 },
]
const seconds = 4
const clients_at_once = 8
const clients_max = 256
const visits = 1_000

export async function measureFigures(): Promise<Figures> {
  const counts = await countFlushes()
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const sql = await barePool(data_dir, 1)
      const watch = await openWatch(service, { data_dir, sql })
      const till = openTill(service)
      const flush_ms = timeFlushes(data_dir)
      const clients = await openClients(service.base_url, clients_at_once)
      await closedLoad(clients, { seconds: 3 }, till.pay)
      const steps = await measureSteps(clients, { service, watch, counts })
      for (const client of clients) client.close()
      const paying = { service, till, watch }
      const before = await watch()
      const captured = till.captured
      const measured: LoadCost[] = []
      for (const load of loads) measured.push(await payUnder(load, paying))
      const all = spentBetween(before, await watch())
      const paid = till.captured - captured
      const at_rest = await measureRest(watch)
      await sql.end()
      return {
        measured: machine().replace(/^Measured on /, ''),
        steps,
        loads: measured,
        at_rest,
        flush_ms,
        log_bytes: Math.round(all.log_bytes / paid),
        disk_bytes: Math.round(all.disk_bytes / paid),
      }
    }),
  )
}

async function measureRest(watch: Watch): Promise<Figures['at_rest']> {
  const rest_s = 8
  // Until what the loads left behind is sealed, counted and analysed.
  await pause(12_000)
  const before = await watch()
  await pause(rest_s * 1000)
  const spent = spentBetween(before, await watch())
  return {
    service_cores: round(spent.service_ms / rest_s / 1000),
    postgresql_cores: round(spent.postgresql_ms / rest_s / 1000),
    transactions_per_second: round(spent.transactions / rest_s, 1),
  }
}

type Visit = { id: string; client_secret: string; card_reference: string }
type Stepping = { service: Started; watch: Watch; counts: Awaited<ReturnType<typeof countFlushes>> }

/** All visits take a step before any takes the next, so that what is spent meanwhile is that step's own. */
async function measureSteps(clients: Client[], { service, watch, counts }: Stepping): Promise<Figures['steps']> {
  const all: Visit[] = []
  const requests = requestsOf(service)
  const measured: [StepName, Figures['steps'][StepName]][] = []
  for (const name of step_names) {
    const before = await watch()
    await closedLoad(clients, { count: visits }, async (client, index) => {
      const visit = all[index] ?? { id: '', client_secret: '', card_reference: '' }
      all[index] = visit
      const { status, body } = await client.send(requests[name](visit))
      if (status >= 300) throw new Error(`${name} answered ${status}: ${body}`)
      Object.assign(visit, { ...JSON.parse(body.toString()), ...(visit.id && { id: visit.id }) })
      return true
    })
    const spent = spentBetween(before, await watch())
    const each = {
      service_ms: round(spent.service_ms / visits),
      postgresql_ms: round(spent.postgresql_ms / visits),
      log_bytes: Math.round(spent.log_bytes / visits),
    }
    measured.push([name, { ...each, ...counts[name] }])
  }
  return Object.fromEntries(measured) as Figures['steps']
}

function requestsOf({ secret_key }: Started): Record<StepName, (visit: Visit) => Buffer> {
  const asShopper = (step: string, bodyOf: (visit: Visit) => object) => (visit: Visit) =>
    requestBytes({
      method: 'POST',
      path: `/v1/checkout/sessions/${visit.id}/${step}`,
      headers: { 'rip-client-secret': visit.client_secret },
      body: bodyOf(visit),
    })
  return {
    create: () => createRequest(secret_key, nextKey()),
    'card reference': asShopper('card_references', () => card),
    authenticate: asShopper('authenticate', ({ card_reference }) => ({ card_reference, browser })),
    confirm: asShopper('confirm', () => ({})),
  }
}

type Paying = { service: Started; till: Till; watch: Watch }
type Loading = Pick<LoadCost, 'per_second' | 'at_once'>

async function payUnder({ per_second, at_once }: Loading, { service, till, watch }: Paying): Promise<LoadCost> {
  const { base_url } = service
  const before = await watch()
  const { done, failed, latencies_ms, ...load } =
    per_second === null
      ? await payAtOnce(base_url, at_once!, till)
      : await openLoad(base_url, { per_second, seconds, clients_max }, till.pay)
  if (failed > 0) throw new Error(`${failed} checkouts failed`)
  const { service_ms, postgresql_ms, generator_ms, machine_ms } = spentBetween(before, await watch())
  const other_ms = machine_ms - service_ms - postgresql_ms - generator_ms
  return {
    per_second,
    at_once,
    paid_per_second: round(done / load.seconds, 1),
    p50_ms: round(percentile(latencies_ms, 0.5), 1),
    p99_ms: round(percentile(latencies_ms, 0.99), 1),
    service_ms: round(service_ms / done),
    postgresql_ms: round(postgresql_ms / done),
    generator_ms: round(generator_ms / done),
    other_cores: round(Math.max(0, other_ms) / load.seconds / 1000),
  }
}

async function payAtOnce(base_url: string, at_once: number, { pay }: Till): Promise<Load> {
  const clients = await openClients(base_url, at_once)
  const load = await closedLoad(clients, { seconds }, pay)
  for (const client of clients) client.close()
  return load
}

function timeFlushes(folder: string): Figures['flush_ms'] {
  const descriptor = openSync(join(folder, 'flush'), 'w')
  const page = Buffer.alloc(8_192)
  const times = Array.from({ length: 300 }, () => {
    const from_ms = performance.now()
    writeSync(descriptor, page, 0, page.length, 0)
    fdatasyncSync(descriptor)
    return performance.now() - from_ms
  }).sort((a, b) => a - b)
  closeSync(descriptor)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const [p50, p99] = [0.5, 0.99].map((share) => round(percentile(times, share)))
  return { p50: p50!, mean: round(mean), p99: p99! }
}

function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits))
}
