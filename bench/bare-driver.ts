// The other side of create-and-read: the bare driver running the service's own statement, in a process of its own.
// It is told by messages what to run and for how long, and answers how often it did.

import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type postgres from 'postgres'
import type { JournalLine } from '../src/audit/journal.ts'
import type { Sql } from '../src/database/open.ts'
import type { KeyRow } from '../src/http/idempotency.ts'
import type { MerchantId, SessionId } from '../src/kernel/values.ts'
import type { Session } from '../src/payments/session.ts'
import { findSessionAndHold, insertSession } from '../src/payments/sessions/session-store.ts'
import { barePool } from './service.ts'

export type Setting = {
  data_dir: string
  merchant_id: string
  /** Sessions that the service has made; the first is copied by the creates. */
  session_ids: string[]
  connections: number
  concurrency: number
}

export type Order = { run: 'create' | 'read'; seconds: number }
export type Count = { done: number; seconds: number }

type Statement = { text: string; parameters: unknown[] }

async function serveOrders(setting: Setting): Promise<void> {
  const sql = await barePool(setting.data_dir, setting.connections)
  const runs = { create: await creates(sql, setting), read: await reads(sql, setting) }
  process.on('message', async ({ run, seconds }: Order) => {
    process.send!(await repeat(runs[run], setting.concurrency, seconds))
  })
  process.on('disconnect', () => process.exit(0))
  process.send!('ready')
}

async function repeat(run: () => Promise<unknown>, concurrency: number, seconds: number): Promise<Count> {
  const start = performance.now()
  const end = start + seconds * 1000
  let done = 0
  const runAll = async () => {
    while (performance.now() < end) {
      await run()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runAll))
  return { done, seconds: (performance.now() - start) / 1000 }
}

/** The insert of a session, its key and its line, with the parameters of one that the service wrote, under ids of its own. */
async function creates(sql: postgres.Sql, { data_dir, merchant_id, session_ids }: Setting) {
  const [session] = await sql<Session[]>`
    select * from sessions where merchant_id = ${merchant_id} and session_id = ${session_ids[0]!}`
  const [key] = await sql<(KeyRow & { fingerprint: Buffer })[]>`
    select * from idempotency_keys where merchant_id = ${merchant_id} and route like 'POST%' limit 1`
  const [line] = await sql<JournalLine[]>`
    select * from journal where merchant_id = ${merchant_id} and change = 'session.created' limit 1`
  if (!session || !key || !line) throw new Error('there is no session to copy')
  // Whole numbers of 64 bits come as text from a driver without our types.
  const copy = { ...session, amount: Number(session.amount), session_id: newSessionId() }
  const keyCopy = { ...key, fingerprints: () => [key.fingerprint], key: randomUUID() }
  const { session_id } = copy
  const lineCopy = { ...line, entry_id: newEntryId(), session_id, subject: session_id }
  const { text, parameters } = await record(data_dir, (own) =>
    insertSession(own, { session: copy, key: keyCopy, line: lineCopy }),
  )
  const placesOf = (copied: string) => parameters.flatMap((value, place) => (value === copied ? [place] : []))
  const own_ids = [
    { places: placesOf(session_id), make: newSessionId },
    { places: placesOf(keyCopy.key), make: randomUUID },
    { places: placesOf(lineCopy.entry_id), make: newEntryId },
  ]
  return () => {
    const own = parameters.slice()
    for (const { places, make } of own_ids) {
      const id = make()
      for (const place of places) own[place] = id
    }
    return sql.unsafe(text, own as never, { prepare: true })
  }
}

async function reads(sql: postgres.Sql, { data_dir, merchant_id, session_ids }: Setting) {
  const key = {
    merchant_id: merchant_id as MerchantId,
    session_id: session_ids[0]! as SessionId,
  }
  const { text, parameters } = await record(data_dir, (own) => findSessionAndHold(own, key))
  const id_at = parameters.indexOf(key.session_id)
  let next = 0
  return () => {
    const own = parameters.slice()
    own[id_at] = session_ids[next++ % session_ids.length]!
    return sql.unsafe(text, own as never, { prepare: true })
  }
}

/** The statement that a function of the service sends. */
async function record(data_dir: string, work: (sql: Sql) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = []
  const sql = await barePool(data_dir, 1, {
    debug: (_, text, parameters) => statements.push({ text, parameters: [...parameters] }),
  })
  await work(sql as unknown as Sql)
  await sql.end()
  return statements[0]!
}

function newSessionId(): SessionId {
  return `cs_${randomUUID().replaceAll('-', '').slice(8)}`
}

/** Sorts by time, as the service's own do. */
function newEntryId(): string {
  return Date.now().toString(16).padStart(12, '0') + randomUUID().replaceAll('-', '').slice(12)
}

await serveOrders(JSON.parse(process.argv[2]!) as Setting)
