// Two processes of the service whose payments go to a fake vendor, through a connection as an operator makes it: the requests to
// the vendor can be met by faults, and either process can die or stand still.

import { randomBytes } from 'node:crypto'
import { afterAll } from 'vitest'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { OutgoingFailure, type VendorHttp, type VendorRequest } from '../../src/kernel/world.ts'
import { acquirerName } from '../../src/merchants/account-connection.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { freshDatabase } from './database.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import type { Step, VendorFault } from './fault-rows.ts'
import { runJob } from './holding.ts'
import { type Account, type DrivenClock, drivenClock, driving, type Service, startService } from './service.ts'
import { type FakeVendor, openFakeVendor, type VendorName } from './vendors.ts'

export type VendorStage = {
  clock: DrivenClock
  vendor: FakeVendor
  service: Service
  other: Service
  proxy: DatabaseProxy
  account: Account
  /** The name of the connection, as payments have it. */
  acquirer: string
  connection_id: string
  /** Requests of the first process to the vendor since the last `meet`, as method and path. */
  asked: string[]
  /** The first process's next request of that kind meets this. Resolves once it does. */
  meet(step: Step, fault: VendorFault): Promise<void>
  /** Whether the last `meet` has come to pass. */
  isMet(): boolean
  /** Lets a request arrive that is too late. Resolves once the vendor has answered it. */
  arrive(): Promise<void>
  /** From now on nothing goes wrong, and who was dead lives. */
  calm(): void
  run(job: string, by?: Service[]): Promise<void>
  /** The vendor posts what it has not posted yet, to the process that lives. Returns how many. */
  post(again?: 'again'): Promise<number>
  /** Lets time pass until nothing is due within a day. `posts`: whether the vendor's notices arrive. */
  rest(posts: boolean): Promise<void>
}

const minute_ms = 60_000
const moments_max = 60
const watched_every_ms = 3 * 3_600_000

export async function useVendorStage(name: VendorName): Promise<VendorStage> {
  const clock = drivenClock()
  const vendor = await openFakeVendor(name, clock)
  const database = await freshDatabase()
  const proxy = await openDatabaseProxy(database.url)
  const plain = openVendorHttp({ clock, allowed_networks: ['127.0.0.1'] })
  const meddled = meddlingHttp(plain, clock, proxy)
  const shared = { clock, database, master_key: randomBytes(32) }
  const names = { acquirer: '' }
  const start = async (more: object, http: Pick<VendorHttp, 'send'>) => {
    const started: { service: Service | null } = { service: null }
    const routed = (simulator: Acquirer) =>
      new Proxy(simulator, {
        get(_, member) {
          const { service } = started
          const connected = service && names.acquirer ? service.context.acquirerOf('test', names.acquirer) : simulator
          return Reflect.get(connected, member)
        },
      })
    started.service = await startService({
      ...shared,
      ...more,
      vendor_http: http,
      wrapSimulator: routed,
    })
    return started.service
  }
  const service = await start({ database_url: proxy.url }, meddled)
  const other = await start({}, plain)
  const { account } = service
  const asked = { kind: 'acquirer', connector: name, label: 'main', mode: 'sandbox' } as const
  const { credentials } = vendor
  const connection = await createConnection(other.operator, account.merchant_id, {
    ...asked,
    credentials,
  })
  names.acquirer = acquirerName(connection)
  afterAll(async () => {
    await Promise.all([service.close(), other.close()])
    await Promise.all([plain.close(), proxy.close(), vendor.close()])
    await database.drop()
  })

  const run = async (job: string, by = [other]) => {
    await driving(clock, Promise.all(by.map((each) => runJob(each, job))))
  }
  const { connection_id } = connection
  const posted = new Set<string>()
  async function post(again?: 'again'): Promise<number> {
    const url = `${other.base_url}/acquirers/${connection_id}/notices`
    const fresh = vendor.notices().filter(({ body }) => again || !posted.has(body))
    for (const { headers, body } of fresh) {
      posted.add(body)
      const { status } = await fetch(url, { method: 'POST', headers, body })
      if (status !== 200) throw new Error(`the notice was answered ${status}`)
    }
    return fresh.length
  }

  async function rest(posts: boolean): Promise<void> {
    for (let moments = 0; moments < moments_max; moments++) {
      if (posts) await post()
      for (const job of ['handle_notices', 'reconcile', 'reverse_orphans']) await run(job)
      const wait_ms = await nextMs(other, clock)
      if (wait_ms === null) return
      await clock.advance(wait_ms)
    }
    const open = await other.sql`
      select reference, state, tries, next_try_at, watched_until, last_failure from orphan_authorisations
      where state = 'found'`
    throw new Error(`it does not come to rest: ${JSON.stringify(open)}`)
  }

  return {
    clock,
    vendor,
    service,
    other,
    proxy,
    account,
    connection_id,
    run,
    post,
    rest,
    acquirer: names.acquirer,
    asked: meddled.asked,
    meet: meddled.meet,
    isMet: meddled.isMet,
    arrive: meddled.arrive,
    calm() {
      meddled.calm()
      proxy.start()
    },
  }
}

/**
 * How long until something is due; null if nothing is. An authorisation that may still come is looked for during a day: less
 * often here.
 */
async function nextMs({ sql }: Service, clock: DrivenClock): Promise<number | null> {
  const [row] = await sql<Record<'due' | 'watched', Date | null>[]>`
    select min(at) filter (where not is_watched) as due, min(at) as watched from (
      select next_check_at as at, false as is_watched from acquirer_operations
      union all select next_try_at, false from acquirer_notices
      union all select next_try_at, watched_until is not null and tries > 2 from orphan_authorisations
        where state = 'found'
    ) as each`
  const until = (at: Date) => Math.max(0, at.getTime() - clock.now().getTime())
  if (row?.due) return until(row.due)
  return row?.watched ? Math.max(until(row.watched), watched_every_ms) : null
}

type Meeting = (request: VendorRequest, reached: () => void) => ReturnType<VendorHttp['send']>
type Armed = { step: Step; fault: VendorFault; reached: () => void; left: number }

function meddlingHttp(http: VendorHttp, clock: DrivenClock, proxy: DatabaseProxy) {
  let armed: Armed | null = null
  let given_up = Promise.withResolvers<void>()
  let arrived = Promise.withResolvers<void>()
  const asked: string[] = []

  async function send(request: VendorRequest) {
    const named = `${request.method} ${new URL(request.url).pathname}`
    asked.push(named)
    if (!armed?.step.request.test(named)) return http.send(request)
    armed.left -= 1
    if (armed.left > 0) return http.send(request)
    const { fault, reached } = armed
    armed = null
    return meetings[fault](request, reached)
  }

  /** Not told to whoever drives the clock: it passes when the test lets it. */
  const minutes = (count: number) => clock.sleep(count * minute_ms, new AbortController().signal)
  const lost = () => new OutgoingFailure('unanswered', false, 'the connection was lost')
  const die = (reached: () => void) => {
    proxy.stop()
    reached()
    return new Promise<never>(() => {})
  }
  const meetings: Record<VendorFault, Meeting> = {
    dies_before: async (_, reached) => die(reached),
    async dies_after(request, reached) {
      await http.send(request)
      return die(reached)
    },
    async stands_still(request, reached) {
      reached()
      await minutes(1)
      return http.send(request)
    },
    async arrives_late({ sendable: _, ...request }, reached) {
      reached()
      await minutes(1)
      return http.send(request)
    },
    async arrives_too_late({ sendable: _, ...request }, reached) {
      reached()
      await minutes(10)
      await given_up.promise
      return http.send(request).finally(arrived.resolve)
    },
    async answers_late(request, reached) {
      const answer = await http.send(request)
      reached()
      await minutes(1)
      return answer
    },
    async lost_before(_, reached) {
      reached()
      throw lost()
    },
    async lost_after(request, reached) {
      await http.send(request)
      reached()
      throw lost()
    },
  }

  return {
    send,
    asked,
    meet(step: Step, fault: VendorFault) {
      asked.length = 0
      given_up = Promise.withResolvers()
      arrived = Promise.withResolvers()
      return new Promise<void>((resolve) => {
        armed = { step, fault, reached: resolve, left: step.nth ?? 1 }
      })
    },
    isMet: () => armed === null,
    arrive() {
      given_up.resolve()
      return arrived.promise
    },
    calm() {
      armed = null
    },
  }
}
