// The SQL of receipts: queued in the statement of the capture, claimed for one sending, and settled. Each function is one
// statement, and each statement that changes a receipt touches only that receipt.

import type { JournalLine } from '../../audit/journal.ts'
import { wholeOf } from '../../database/cells/cells.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { AnyEventType, Mode } from '../../kernel/values.ts'
import { takenIn } from '../payment.ts'
import type { Customer } from '../purchase.ts'
import type { ReceiptPayment } from './receipt.ts'

/** The body of a CTE that queues the receipt of a capture, if its mode sends receipts and the gate returned a row. */
export function receiptIf(
  sql: AnySql,
  {
    payment,
    event,
  }: {
    payment: { merchant_id: string; payment_id: string; mode: Mode }
    event: { type: AnyEventType; created_at: Date }
  },
  gate: string,
) {
  if (event.type !== 'payment.captured') return sql`select 1`
  const { merchant_id, payment_id, mode } = payment
  const at = event.created_at
  return sql`
    insert into receipt_queue (merchant_id, payment_id, mode, created_at, due_at, tries)
    select ${merchant_id}, ${payment_id}, ${mode}, ${at}, ${at}, 0 from ${sql(gate)}
    where exists (select 1 from receipt_senders where mode = ${mode} and sends_until > ${at})`
}

/** From now on receipts of these modes are queued. */
export async function noteSenders(
  sql: Sql,
  modes: readonly Mode[],
  { until, unless_after }: { until: Date; unless_after: Date },
): Promise<void> {
  const noted = await sql`
    select 1 from receipt_senders
    where mode = any(${modes as string[]}::text[]) and sends_until >= ${unless_after}`
  if (noted.length === modes.length) return
  await wholeOf(sql)`
    insert into receipt_senders (mode, sends_until)
    select mode, ${until} from unnest(${modes as string[]}::text[]) as m (mode) order by mode
    on conflict (mode) do update set sends_until = excluded.sends_until
    where receipt_senders.sends_until < ${unless_after}`
}

export type ReceiptKey = { merchant_id: string; payment_id: string }

/** A receipt that needs attention. `claimed_at` is when a process that has died claimed it; null if it was not claimed. */
export type DueReceipt = ReceiptKey & {
  session_id: string
  created_at: Date
  claimed_at: Date | null
}

/** Due receipts of these modes, and receipts of all modes that must end: too old, or left by a process that died. */
export async function listDueReceipts(
  sql: Sql,
  which: { modes: readonly Mode[]; now: Date; old_before: Date; limit: number },
): Promise<DueReceipt[]> {
  return sql<DueReceipt[]>`
    select q.merchant_id, q.payment_id, p.session_id, q.created_at, q.claimed_at
    from (
      select * from receipt_queue
      where due_at <= ${which.now} and (mode = any(${which.modes as string[]}::text[])
        or claimed_at is not null or created_at <= ${which.old_before})
      order by due_at limit ${which.limit} offset 0
    ) q cross join lateral (
      select session_id from payments
      where merchant_id = q.merchant_id and payment_id = q.payment_id offset 0) p
    order by q.due_at`
}

/** A receipt that this process may send, with its contents. */
export type ClaimedReceipt = ReceiptContents & { claimed_at: Date; tries: number }

/** What a receipt is written from. */
export type ReceiptContents = ReceiptKey &
  Omit<ReceiptPayment, 'email' | 'descriptor'> & {
    session_id: string
    customer: Customer | null
    statement_descriptor_suffix: string | null
    acquiring_profile: Record<string, unknown> | null
  }

/** Undefined if another process has or had it. */
export async function claimReceipt(
  sql: Sql,
  { merchant_id, payment_id }: ReceiptKey,
  { now, lease_until }: { now: Date; lease_until: Date },
): Promise<ClaimedReceipt | undefined> {
  const [row] = await sql<ClaimedReceipt[]>`
    with claimed as (
      update receipt_queue set claimed_at = ${now}, due_at = ${lease_until}, tries = tries + 1
      where merchant_id = ${merchant_id} and payment_id = ${payment_id} and due_at <= ${now}
        and claimed_at is null
      returning merchant_id, payment_id, claimed_at, tries, sequence
    )
    ${contentsOf(sql, sql`claimed`)}`
  return row
}

/** What a payment's receipt is written from, as stored now; undefined where the payment is not captured. */
export async function findReceipt(
  sql: AnySql,
  { merchant_id, payment_id }: ReceiptKey,
): Promise<ReceiptContents | undefined> {
  const [row] = await sql<ReceiptContents[]>`
    with captured as (
      select merchant_id, payment_id, null::integer as sequence from payments
      where merchant_id = ${merchant_id} and payment_id = ${payment_id} and status = 'captured'
    )
    ${contentsOf(sql, sql`captured`)}`
  return row
}

function contentsOf(sql: AnySql, receipts: Fragment): Fragment {
  return sql`
    select c.*, p.session_id, p.mode, ${takenIn(sql, sql`p`)} as amount, p.currency,
      p.executed_at, p.order_reference,
      -- Of a part nobody here knows which items it is of, and so neither their tax.
      case when p.captured_amount is null then s.items end as items, s.customer,
      s.statement_descriptor_suffix, i.price_list, m.name as merchant_name, m.acquiring_profile, a.brand, a.last4,
      a.locale
    from ${receipts} c
    join payments p on p.merchant_id = c.merchant_id and p.payment_id = c.payment_id
    join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    join attempts a on a.merchant_id = p.merchant_id and a.attempt_id = p.attempt_id
    join merchants m on m.merchant_id = p.merchant_id
    left join integrations i on i.merchant_id = s.merchant_id and i.integration_id = s.integration_id`
}

/** The payment of a receipt, locked until the transaction ends. */
export async function lockPaymentOf(
  tx: AnySql,
  { merchant_id, payment_id }: ReceiptKey,
): Promise<(ReceiptKey & { session_id: string }) | undefined> {
  const [row] = await tx<(ReceiptKey & { session_id: string })[]>`
    select merchant_id, payment_id, session_id from payments
    where merchant_id = ${merchant_id} and payment_id = ${payment_id} for update`
  return row
}

/** Since when a payment's receipt waits for its sending; null where none does. And whether receipts of its mode are sent. */
export async function findWaiting(
  sql: AnySql,
  { merchant_id, payment_id, mode }: ReceiptKey & { mode: Mode },
  now: Date,
): Promise<{ waiting_since: Date | null; is_sent: boolean }> {
  const [row] = await sql<[{ waiting_since: Date | null; is_sent: boolean }]>`
    select
      (select created_at from receipt_queue
        where merchant_id = ${merchant_id} and payment_id = ${payment_id}) as waiting_since,
      exists (select 1 from receipt_senders where mode = ${mode} and sends_until > ${now}) as is_sent`
  return row
}

export type ReceiptLine = { change: string; at: Date; actor: string; detail: Record<string, unknown> }

/** What the journal says of a payment's receipts, oldest first. */
export async function listReceiptLines(
  sql: AnySql,
  { merchant_id, session_id, payment_id }: ReceiptKey & { session_id: string },
): Promise<ReceiptLine[]> {
  return sql<ReceiptLine[]>`
    select change, at, actor, detail from journal
    where merchant_id = ${merchant_id} and session_id = ${session_id} and subject = ${payment_id}
      and change in ('receipt.asked', 'receipt.sent', 'receipt.given_up', 'receipt.unknown')
    order by entry_id`
}

/** Queues a receipt to be sent again, with its line. While one waits nothing is written. */
export async function queueAgain(
  tx: AnySql,
  { merchant_id, payment_id, mode, sequence }: ReceiptKey & { mode: Mode; sequence: number },
  line: JournalLine,
): Promise<void> {
  const { at } = line
  await tx`
    with queued as (
      insert into receipt_queue (merchant_id, payment_id, mode, created_at, due_at, tries, sequence)
      values (${merchant_id}, ${payment_id}, ${mode}, ${at}, ${at}, 0, ${sequence})
      on conflict do nothing returning 1
    )
    insert into journal ${rowIf(tx, line, 'queued')}`
}

type ClaimedKey = ReceiptKey & { claimed_at: Date | null }

/** Ends a receipt that was sent or never will be. Returns false if another process has settled or claimed it. */
export async function endReceipt(sql: Sql, key: ClaimedKey, line: JournalLine): Promise<boolean> {
  const rows = await sql`
    with gate as (
      delete from receipt_queue where ${asHeld(sql, key)} returning 1
    ), journal as (insert into journal ${rowIf(sql, line, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/** The server has not taken the receipt, so it is due again later. */
export async function postponeReceipt(sql: Sql, key: ClaimedKey, due_at: Date): Promise<void> {
  await sql`
    update receipt_queue set claimed_at = null, due_at = ${due_at} where ${asHeld(sql, key)}`
}

function asHeld(sql: Sql, { merchant_id, payment_id, claimed_at }: ClaimedKey) {
  return sql`
    merchant_id = ${merchant_id} and payment_id = ${payment_id}
    and claimed_at is not distinct from ${claimed_at}::timestamptz`
}

const counted_max = 10_000

/** How many receipts wait, counted up to a limit, and the time of the oldest; null if none waits. */
export async function countReceipts(sql: Sql): Promise<{ waiting: number; oldest: Date | null }> {
  const [row] = await sql<[{ waiting: number; oldest: Date | null }]>`
    select count(*)::int as waiting, min(created_at) as oldest
    from (select created_at from receipt_queue limit ${counted_max}) q`
  return row
}
