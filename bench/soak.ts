// Ten minutes of steady mixed load, deliveries included: does the service's memory, or its latency, grow?

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { compareBooks } from './books.ts'
import { type Load, openClients, openLoad } from './load.ts'
import { residentMegabytes } from './proc.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { requestBytes } from './requests.ts'
import { type Started, withDataFolder, withService } from './service.ts'
import { creating, makeSessions, openTill, reading, type Till } from './work.ts'

/** How many of each begin in a second: about a fifth of what two cores can do. */
const mix = { creates: 100, reads: 100, checkouts: 20 }
const requests_per_checkout = 4
const clients_max = 256
const memory_growth_max = 1.1
const p99_growth_max = 1.3

/** One minute, or what stands for it in a short run. */
type Slice = {
  megabytes: number
  requests: number
  /** Of creates and reads, ascending. */
  requests_ms: number[]
  /** Of whole checkouts, ascending. */
  checkouts_ms: number[]
  delivered: number
}

export async function soak({ quick }: { quick: boolean }): Promise<Table[]> {
  const seconds = quick ? 4 : 60
  const count = quick ? 5 : 10
  const receiver = await openReceiver()
  const settings = { RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const measure = (data_dir: string) => async (service: Started) => {
    await registerEndpoint(service, receiver.url)
    const till = openTill(service)
    const at_rest = residentMegabytes(service.pid)
    const load = await openMix(service, till)
    const slices: Slice[] = []
    while (slices.length < count) {
      const { created, read, paid } = await load(seconds)
      slices.push({
        megabytes: residentMegabytes(service.pid),
        requests: created.done + read.done + paid.done * requests_per_checkout,
        requests_ms: [...created.latencies_ms, ...read.latencies_ms].sort((a, b) => a - b),
        checkouts_ms: paid.latencies_ms,
        delivered: receiver.heard.size,
      })
      const failed = created.failed + read.failed + paid.failed
      if (failed > 0) throw new Error(`${failed} requests failed in slice ${slices.length}`)
    }
    await receiver.hear(till.captured)
    await compareBooks(data_dir, service, till.captured)
    return [tableOf({ at_rest, slices, seconds, captured: till.captured })]
  }
  try {
    return await withDataFolder((data_dir) => withService(data_dir, measure(data_dir), settings))
  } finally {
    receiver.close()
  }
}

type Mix = { created: Load; read: Load; paid: Load }

async function openMix(service: Started, { pay }: Till): Promise<(seconds: number) => Promise<Mix>> {
  const clients = await openClients(service.base_url, 1)
  const create = creating(service)
  const read = reading(service, await makeSessions(clients, service))
  for (const client of clients) client.close()
  return async (seconds) => {
    const offer = (per_second: number, work: Till['pay']) =>
      openLoad(service.base_url, { per_second, seconds, clients_max }, work)
    const [created, seen, paid] = await Promise.all([
      offer(mix.creates, create),
      offer(mix.reads, read),
      offer(mix.checkouts, pay),
    ])
    return { created, read: seen, paid }
  }
}

/** Takes what is delivered; which events came, by their idempotency keys. */
async function openReceiver() {
  const heard = new Set<string>()
  let repeated = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const key = request.headers['rip-idempotency-key'] as string
      if (heard.has(key)) repeated += 1
      heard.add(key)
      response.writeHead(200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    heard,
    /** Waits until so many events have come. Throws where they do not, or where more came or one came twice. */
    async hear(count: number): Promise<void> {
      for (let waited_ms = 0; heard.size < count && waited_ms < 30_000; waited_ms += 10) {
        await pause(10)
      }
      if (heard.size !== count || repeated > 0) {
        throw new Error(`of ${count} events ${heard.size} came, ${repeated} again`)
      }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function registerEndpoint({ base_url, secret_key }: Started, url: string): Promise<void> {
  const [client] = await openClients(base_url, 1)
  const head = { method: 'POST', path: '/v1/webhooks/endpoints' }
  const headers = { 'x-service-api-key': secret_key }
  const { status, body } = await client!.send(requestBytes({ ...head, headers, body: { url } }))
  client!.close()
  if (status !== 201) throw new Error(`the endpoint was refused: ${status} ${body}`)
}

type Soaked = { at_rest: number; slices: Slice[]; seconds: number; captured: number }

function tableOf(soaked: Soaked): Table {
  const { at_rest, slices, seconds, captured } = soaked
  const unit = seconds === 60 ? 'minute' : `slice of ${seconds} s`
  const times = (ascending: number[]) => [0.5, 0.99].map((share) => percentile(ascending, share).toFixed(1))
  const rows = slices.map((slice, at) => [
    String(at + 1),
    whole(slice.megabytes),
    whole(slice.requests),
    ...times(slice.requests_ms),
    ...times(slice.checkouts_ms),
    whole(slice.delivered),
  ])
  const headings = [
    unit,
    'resident MB',
    'requests',
    'one request, p50 ms',
    'p99 ms',
    'whole checkout, p50 ms',
    'p99 ms',
    'delivered so far',
  ]
  const notes = [
    `In each second ${mix.creates} creates, ${mix.reads} reads and ${mix.checkouts} whole checkouts of ${requests_per_checkout} requests begin, whatever became of those before. The event of each payment is delivered to a receiver.`,
    judgement(slices),
    `No request failed. In the end ${whole(captured)} payments stand in the books of all sides, and the event of each came once.`,
  ]
  const rest = ['at rest', whole(at_rest), ...headings.slice(2).map(() => '')]
  return { name: 'soak', headings, rows: [rest, ...rows], notes }
}

/** The second half against the first, whose first slice warms up. */
function judgement(slices: Slice[]): string {
  const half = Math.ceil(slices.length / 2)
  const compare = (of: (slice: Slice) => number) => {
    const [early, late] = [slices.slice(1, half), slices.slice(half)].map((part) => median(part.map(of)))
    return { early: early!, late: late!, growth: late! / early! }
  }
  const memory = compare(({ megabytes }) => megabytes)
  const requests = compare(({ requests_ms }) => percentile(requests_ms, 0.99))
  const checkouts = compare(({ checkouts_ms }) => percentile(checkouts_ms, 0.99))
  const is_flat = memory.growth <= memory_growth_max
  const is_steady = Math.max(requests.growth, checkouts.growth) <= p99_growth_max
  const change = ({ early, late, growth }: typeof memory, [digits, unit]: [number, string]) =>
    `from ${early.toFixed(digits)} to ${late.toFixed(digits)} ${unit} (${percent(growth)})`
  const times = [requests, checkouts].map((each) => change(each, [1, 'ms']))
  return [
    `The medians of 2 to ${half} against those of ${half + 1} to ${slices.length}.`,
    `Memory ${change(memory, [0, 'MB'])}: ${is_flat ? 'flat' : 'not flat'}, for which ${percent(memory_growth_max)} is the limit.`,
    `p99 of one request ${times[0]}, of a checkout ${times[1]}:`,
    `${is_steady ? 'does not grow' : 'grows'}, for which ${percent(p99_growth_max)} is the limit.`,
  ].join(' ')
}

function percent(ratio: number): string {
  const change = (ratio - 1) * 100
  return `${change < 0 ? '−' : '+'}${Number(Math.abs(change).toFixed(1))} %`
}
