// The lives that a grown database is filled with: a few real sessions, each with every row that it has left behind, kept
// aside as patterns for very many.

import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { type Client, openClients } from './load.ts'
import { browser, card, createRequest, requestBytes } from './requests.ts'
import type { Started } from './service.ts'

/** What becomes of a session, and of how many in a hundred: most baskets are left. */
const lives = {
  paid: { per_cent: 25, number: card.number, is_confirmed: true },
  /** Paid as well, and disputed; the merchant's endpoint never took the delivery. */
  untold: { per_cent: 3, number: card.number, is_confirmed: true },
  declined: { per_cent: 3, number: '4000009105150000', is_confirmed: true },
  /** The shopper went away from the bank's check. */
  unproven: { per_cent: 6, number: '4000009100050072', is_confirmed: false },
  left: { per_cent: 63, number: null, is_confirmed: false },
}

export type Life = keyof typeof lives

const of_session = `session_id = '$session'`
const of_payment = `payment_id in (select payment_id from payments where ${of_session})`

/**
 * The tables that a session has rows in, and which those are. Neither cards nor what counts against limits is among
 * them: half an hour after a session has begun they are gone.
 */
const tables: Record<string, string> = {
  sessions: of_session,
  idempotency_keys: `key = '$key'`,
  journal: of_session,
  audit_chain: `entry_id in (select entry_id from journal where ${of_session})`,
  attempts: of_session,
  payments: of_session,
  acquirer_operations: of_payment,
  disputes: of_payment,
  events: of_payment,
  webhook_deliveries: of_payment,
  webhook_attempts: of_payment,
  'simulator.ledger': `reference in (select operation_id from acquirer_operations where ${of_payment})`,
}

/** The rows that a life has in a table. */
export type Pattern = {
  life: Life
  table: string
  /** The table that they are kept in. */
  kept_in: string
  /** The same as the driver reads them. */
  rows: Record<string, unknown>[]
}

/**
 * Lives every kind of life once, through the API, and keeps what is left of it. `growth.lives` says afterwards which share
 * of a hundred is whose, with the ids and the time of the one that was lived. The merchant must have an endpoint.
 */
export async function livePatterns(sql: postgres.Sql, service: Started): Promise<Pattern[]> {
  await sql.unsafe(`
    create schema growth;
    create table growth.lives (
      life text, from_share integer, to_share integer, session_id text, payment_id text, created_at timestamptz)`)
  const [client] = await openClients(service.base_url, 1)
  const sessions: { life: Life; session_id: string; key: string }[] = []
  for (const [at, life] of (Object.keys(lives) as Life[]).entries()) {
    // A UUID, as servers send it, and as it is told from other text when it is copied.
    const key = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    const { number, is_confirmed } = lives[life]
    const { session_id, confirm } = await checkOut(client!, service, { number, key })
    if (is_confirmed) await confirm()
    if (life === 'untold') await dispute(sql, session_id)
    sessions.push({ life, key, session_id })
  }
  client!.close()
  await untilTold(sql)
  const patterns: Pattern[] = []
  let share = 0
  for (const { life, session_id, key } of sessions) {
    await sql`
      insert into growth.lives
      select ${life}, ${share}, ${share + lives[life].per_cent}, session_id, payment_id, created_at
      from sessions where session_id = ${session_id}`
    share += lives[life].per_cent
    patterns.push(...(await keep(sql, { life, session_id, key })))
  }
  return patterns
}

/** As a bank would, which nobody has here; its events are left out. */
async function dispute(sql: postgres.Sql, session_id: string): Promise<void> {
  await sql`
    insert into disputes (merchant_id, dispute_id, payment_id, session_id, mode, acquirer, vendor_id, status, round, reason,
      amount, currency, respond_by, opened_at, told_at, event_count)
    select merchant_id, 'dsp_' || right(payment_id, 24), payment_id, session_id, mode, 'simulator',
      'sim_' || right(payment_id, 24), 'needs_response', 1, 'fraudulent', amount, currency, created_at + interval '14 days',
      created_at, created_at, 1
    from payments where session_id = ${session_id}`
}

/**
 * A session with a card that its bank was asked about; without a card it stays as it was created. `confirm` is the request
 * that charges it.
 */
export async function checkOut(
  client: Client,
  { secret_key }: Started,
  { number, key }: { number: string | null; key: string },
): Promise<{ session_id: string; confirm(): Promise<Record<string, unknown>> }> {
  const send = async (request: Buffer) => {
    const { status, body } = await client.send(request)
    if (status !== 200 && status !== 201) throw new Error(`a checkout was answered ${status}`)
    return JSON.parse(body.toString()) as Record<string, string>
  }
  const { id, client_secret } = await send(createRequest(secret_key, key))
  const post = (step: string, body: object) => {
    const path = `/v1/checkout/sessions/${id}/${step}`
    const headers = { 'rip-client-secret': client_secret! }
    return send(requestBytes({ method: 'POST', path, headers, body }))
  }
  if (number !== null) {
    const { card_reference } = await post('card_references', { ...card, number })
    await post('authenticate', { card_reference, browser })
  }
  return { session_id: id!, confirm: () => post('confirm', {}) }
}

/** Until the deliveries have ended and the lines of the journal are in their chain. */
async function untilTold(sql: postgres.Sql): Promise<void> {
  for (let waited_ms = 0; waited_ms < 60_000; waited_ms += 100) {
    const [row] = await sql<{ left: number }[]>`
      select (select count(*) from webhook_queue)::int
        + (select count(*) from journal where entry_id not in (select entry_id from audit_chain))::int as left`
    if (row!.left === 0) return
    await pause(100)
  }
  throw new Error('the first lives are not told of and sealed within a minute')
}

async function keep(
  sql: postgres.Sql,
  { life, session_id, key }: { life: Life; session_id: string; key: string },
): Promise<Pattern[]> {
  const patterns: Pattern[] = []
  for (const [table, condition] of Object.entries(tables)) {
    const kept_in = `growth.${life}_${table.replace('.', '_')}`
    const where = condition.replaceAll('$session', session_id).replaceAll('$key', key)
    await sql.unsafe(`create table ${kept_in} as select * from ${table} where ${where}`)
    if (life === 'untold' && table.startsWith('webhook_')) {
      await sql.unsafe(`update ${kept_in} set status = 'dead_lettered'`)
    }
    const rows = await sql.unsafe(`select * from ${kept_in}`)
    if (rows.length > 0) patterns.push({ life, table, kept_in, rows })
  }
  return patterns
}
