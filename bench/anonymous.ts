// What an anonymous request may cost: each route is asked by the dearest requests of their kinds, and the CPU time of the
// service is compared with that of a plain create.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request as openRequest } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnonymousRequest, type Known, type Row, rowsOf } from './anonymous-requests.ts'
import type { MountedRoute } from './mounted-routes.ts'
import { cpuNanoseconds } from './proc.ts'
import { median, type Table } from './report.ts'
import { createRequest, nextKey } from './requests.ts'
import { type Started, startService, withDataFolder } from './service.ts'

/** Times a plain create. */
export const ratio_max = 5

/**
 * Routes that may cost more, each with a limit of its own in plain creates, and why. What they do is counted: by address,
 * by account, or by publishable key.
 */
export const dearRoutes: Record<string, { ratio_max: number; why: string }> = {
  'POST /dashboard/api/sign-in/password': {
    ratio_max: 150,
    why: 'hashes a password: 60 a minute and address',
  },
}

export type MeasuredRow = Row & {
  /** Plain creates that one such request costs. */
  ratio: number
  statuses: number[]
}

type Length = { batch: number; tries: number }
export const short_form: Length = { batch: 2, tries: 10 }
const long_form: Length = { batch: 20, tries: 9 }

/** What `bench/service.ts` needs to start a service that writes down its routes. */
export function recordingRoutes(file: string): NodeJS.ProcessEnv {
  const preload = fileURLToPath(new URL('mounted-routes.ts', import.meta.url))
  return { MOUNTED_ROUTES: file, NODE_OPTIONS: `--import=${preload}` }
}

export function readMounted(file: string): MountedRoute[] {
  if (!existsSync(file)) throw new Error('the service wrote down no routes')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line) as MountedRoute)
  // The framework adds HEAD where there is a GET.
  return all.filter(({ methods }) => methods.join() !== 'HEAD')
}

/**
 * Measures each row in batches until one is within the limit: what else the machine and the service do can only make a
 * batch dearer, and the first one compiles.
 */
export async function measureRows(
  service: Started & { handle?: string },
  mounted: MountedRoute[],
  { batch, tries }: Length,
): Promise<{ rows: MeasuredRow[]; create_us: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (request: AnonymousRequest) => send(agent, service.base_url, request)
  const create = () => ask(plainCreate(service))
  const known = await knownOf(service, create)
  for (let index = 0; index < 300; index++) await create()
  const costs_ns: number[] = []
  const measure = async (count: number, work: () => Promise<number>) => {
    const before = cpuNanoseconds(service.pid)
    const statuses = new Set<number>()
    for (let index = 0; index < count; index++) statuses.add(await work())
    return { cost_ns: (cpuNanoseconds(service.pid) - before) / count, statuses: [...statuses] }
  }
  const measureCreate = async () => {
    costs_ns.push((await measure(25, async () => (await create()).status)).cost_ns)
  }
  for (let index = 0; index < 9; index++) await measureCreate()
  const rows: MeasuredRow[] = []
  for (const row of mounted.flatMap((route) => rowsOf(route, known))) {
    const limit = dearRoutes[row.route]?.ratio_max ?? ratio_max
    let least: MeasuredRow | null = null
    for (let index = 0; index < tries && (least === null || least.ratio > limit); index++) {
      const { cost_ns, statuses } = await measure(batch, async () => (await ask(row.request)).status)
      const ratio = cost_ns / median(costs_ns)
      if (least === null || ratio < least.ratio) least = { ...row, ratio, statuses }
    }
    rows.push(least!)
    if (rows.length % 100 === 0) await measureCreate()
  }
  agent.destroy()
  return { rows, create_us: median(costs_ns) / 1000 }
}

/** `npm run bench -- anonymous`. */
export async function anonymous({ quick }: { quick: boolean }): Promise<Table[]> {
  return withDataFolder(async (data_dir) => {
    const file = join(data_dir, 'routes')
    const service = await startService(data_dir, { settings: recordingRoutes(file) })
    try {
      const { rows, create_us } = await measureRows(service, readMounted(file), quick ? short_form : long_form)
      return [tableOf(rows, create_us)]
    } finally {
      await service.stop()
    }
  })
}

/** The dearest row of each route. */
function tableOf(rows: MeasuredRow[], create_us: number): Table {
  const dearest = [...Map.groupBy(rows, ({ route }) => route).values()]
    .map((here) => here.reduce((a, b) => (b.ratio > a.ratio ? b : a)))
    .sort((a, b) => b.ratio - a.ratio)
  return {
    name: 'anonymous',
    headings: ['route', 'by', 'plain creates', 'answers'],
    rows: dearest
      .slice(0, 30)
      .map(({ route, what, ratio, statuses }) => [route, what, ratio.toFixed(1), statuses.join(', ')]),
    notes: [
      `The 30 dearest of ${dearest.length} routes, each by its dearest of ${rows.length} requests. A plain create takes ${create_us.toFixed(0)} µs of the service's CPU time.`,
    ],
  }
}

function plainCreate({ secret_key }: Started): AnonymousRequest {
  const [head, body] = createRequest(secret_key, nextKey()).toString().split('\r\n\r\n')
  const lines = head!.split('\r\n').slice(1)
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  return { method: 'POST', path: '/v1/checkout/sessions', headers, body: Buffer.from(body!) }
}

async function knownOf(
  service: Started & { handle?: string },
  create: () => Promise<{ body: string }>,
): Promise<Known> {
  const { id, client_secret } = JSON.parse((await create()).body) as Record<string, string>
  const { publishable_key, handle = 'demo', base_url } = service
  return {
    publishable_key,
    handle,
    origin: base_url,
    session_id: id!,
    client_secret: client_secret!,
  }
}

/** A refusal may come before all of the body was sent, and end the connection. */
function send(
  agent: Agent,
  base_url: string,
  { method, path, headers, body }: AnonymousRequest,
): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  const { host: _, ...rest } = headers
  const length = body === null ? {} : { 'content-length': body.length }
  const key = 'rip-idempotency-key' in rest ? { 'rip-idempotency-key': randomUUID() } : {}
  const request = openRequest(base_url + path, { method, agent, headers: { ...rest, ...length, ...key } })
  request.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    const answered = () => resolve({ status: response.statusCode!, body: text })
    response.on('close', answered)
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    // The service has closed the connection of a body that it does not read.
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, body: '' })
    else reject(error)
  })
  request.end(body ?? undefined)
  return promise
}
