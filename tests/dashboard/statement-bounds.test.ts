// What the dashboard's screens and the compatible lists cost the database at a merchant with many payments: each statement that a read sends looks at so many
// rows and no more, and no plan is dear. The reads come from the records of routes.

import { beforeAll, expect, test } from 'vitest'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import type { Sql } from '../../src/database/open.ts'
import { looks_max } from '../../src/payments/reading/list-filters.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { freshDatabase } from '../support/database.ts'
import { hold } from '../support/holding.ts'
import { newMember } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

type Statement = { text: string; values: unknown[] }

const heard: Statement[] = []
const onStatement = (text: string, _?: string, values: unknown[] = []) => {
  heard.push({ text: text.trim(), values })
}
const database = await freshDatabase()
const open: typeof database.open = (options) => database.open({ ...options, onStatement })
const clock = drivenClock()
const service = await useService({ clock, database: { ...database, open } })
const { sql, account } = service
const { merchant_id } = account
const person = await newMember(service, { is_operator: true })

/** A list looks at so many rows, and joins some. */
const rows_max = looks_max + 2_000
/** As PostgreSQL counts: 1 is a page that is read in order. */
const cost_max = 30_000
/** So many that whatever reads them all is seen. */
const copies = 2 * rows_max
/** What PostgreSQL up to 17 adds to a plan for each scan that `enable_seqscan` forbids and nothing else can do. */
const forbidden_cost = 1e10

const paths: Record<string, string> = { merchant_id }

beforeAll(async () => {
  const { body } = await account.client.pay()
  await hold(account)
  await deadLetter({ ...service, account }, { created_at: new Date(clock.now().getTime() - 1000) })
  paths.payment_id = body.payment_id
  const [session] = await sql<{ session_id: string }[]>`
    select session_id from payments where payment_id = ${body.payment_id}`
  const { session_id } = session!
  Object.assign(paths, { session_id, charge_id: body.payment_id.replace('pay_', 'ch_') })
  await copy('sessions', `session_id = '${session_id}'`, {
    session_id: id('cs'),
    payment_id: id('pay'),
    created_at: "t.created_at - n * interval '1 second'",
  })
  await copy('payments', `payment_id = '${body.payment_id}'`, {
    payment_id: id('pay'),
    session_id: id('cs'),
    attempt_id: id('att'),
    // Every other one has one of the refunds below.
    refund_count: 'n % 2',
    created_at: "t.created_at - n * interval '1 second'",
  })
  await copy('events', `payment_id = '${body.payment_id}'`, {
    payment_id: id('pay'),
    event_id: "'evt:copy' || n",
  })
  await copy('journal', `change = 'session.created'`, {
    entry_id: `lpad(to_hex(('x' || lpad(left(t.entry_id, 12), 16, '0'))::bit(64)::bigint - n * 1000), 12, '0')
      || substr(t.entry_id, 13)`,
    at: "t.at - n * interval '1 second'",
  })
  const { body: refund } = await account.client.refund(body.payment_id, { amount: 513 })
  paths.refund_id = refund.id
  const [{ operation_id }] = await sql<[{ operation_id: string }]>`
    select operation_id from refunds where refund_id = ${refund.id}`
  const own = { operation_id: id('op'), payment_id: id('pay') }
  await sql`
    insert into webhook_queue (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, last_attempt_id,
      payment_id, sequence, root_id, root_created_at, created_at)
    -- Waiting deliveries of an endpoint are counted up to a bound of their own: these are of one that is gone.
    select merchant_id, repeat('1', 32), 'whep_gone', 1, '2100-01-01', 1, last_attempt_id, payment_id, sequence,
      delivery_id, created_at, created_at
    from webhook_deliveries where status = 'dead_lettered'`
  await copy('webhook_queue', `delivery_id = repeat('1', 32)`, { delivery_id: "lpad(to_hex(n), 32, '0')" })
  await copy('acquirer_operations', `operation_id = '${operation_id}'`, own)
  await copy('refunds', `refund_id = '${refund.id}'`, { ...own, refund_id: id('ref') })
  await sql`analyze`
}, 240_000)

const id = (prefix: string) => `'${prefix}_' || lpad(to_hex(n), 24, '0')`

/** Many copies of a row, whose ids and times are their own. */
async function copy(table: string, which: string, own: Record<string, string>): Promise<void> {
  const members = Object.entries(own).map(([column, value]) => `'${column}', ${value}`)
  await sql.begin(async (tx) => {
    // Keys to other tables are right by how the copies are made, and attempts have none.
    await tx`set local session_replication_role = replica`
    await tx`set local statement_timeout = 0`
    await tx.unsafe(`
      insert into ${table}
      select r.*
      from (select * from ${table} where merchant_id = '${merchant_id}' and ${which} limit 1) t,
        generate_series(1, ${copies}) n,
        json_populate_record(null::${table}, (to_jsonb(t) || jsonb_build_object(${members.join(', ')}))::json) r`)
  })
}

const reads = dashboardRoutes.flatMap(({ method, path, query }) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const is_known = names.every((name) => ['merchant_id', 'payment_id'].includes(name))
  if (method !== 'GET' || !is_known || path.endsWith('/stream')) return []
  const shape = (query as { shape?: object } | undefined)?.shape ?? {}
  const mode = 'mode' in shape ? ['mode=test'] : []
  const zone = 'zone' in shape ? ['zone=UTC'] : []
  const text = 'text' in shape ? ['text=a'] : []
  const month = 'month' in shape ? ['month=2026-09'] : []
  const query_text = [...mode, ...zone, ...text, ...month].join('&')
  return [{ path: path.replace('/dashboard/api', ''), query: query_text }]
})
const searches = [
  ...['status=captured', 'status=voided', 'amount=4200', 'amount=7', 'order_reference=none'],
  ...['customer_email=nobody@example.com', 'card_last4=0000', 'decline_code=do_not_honour'],
].map((filter) => ({ path: '/{merchant_id}/payments', query: `mode=test&${filter}` }))
const audit_searches = ['search=nobody', 'kind=keys', 'actor=rules', 'search=pay_0&kind=payments'].map((query) => ({
  path: '/{merchant_id}/audit',
  query,
}))
const deliveries = ['standing=waiting', 'standing=given_up'].map((query) => ({
  path: '/{merchant_id}/webhooks/deliveries',
  query,
}))

type Plan = {
  'Node Type': string
  'Total Cost': number
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** The rows that the scans of a plan came by. A bitmap's are counted where the table is read. */
function rowsOf(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0)
  if (!/Scan$/.test(plan['Node Type']) || /CTE|Subquery|Function|Values|Bitmap Index/.test(plan['Node Type'])) {
    return below
  }
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + (plan['Actual Rows'] + dropped) * plan['Actual Loops']
}

async function costOf(by: Pick<Sql, 'unsafe'>, { text, values }: Statement) {
  const [row] = await by.unsafe(`explain (analyze, format json) ${text}`, values)
  const [{ Plan: plan }] = (row as unknown as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN']
  return { rows: rowsOf(plan), cost: plan['Total Cost'] % forbidden_cost }
}

const reading = (text: string) =>
  /^(select|with)\b/i.test(text) &&
  !/\b(insert into|delete from|update \w+ set|for (share|update|no key update))\b/i.test(text)

test.each([...reads, ...searches, ...audit_searches, ...deliveries])('$path?$query', async ({ path, query }) => {
  await person.prove()
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => paths[name]!)
  heard.length = 0
  const { status, text } = await person.get(`${filled}${query ? `?${query}` : ''}`)
  expect(status, text).toBe(200)
  await expectCheap()
})

const edges = ['starting_after', 'ending_before'].flatMap((edge) =>
  ['', '&limit=100', '&created[gte]=1'].map((more) => (id: string) => `${edge}=${id}${more}`),
)
const compatibleLists = ['payment_intents', 'refunds', 'charges'].flatMap((noun) =>
  ['', 'limit=100', 'created[lt]=1', ...edges].map((query) => ({ noun, query })),
)
test.each(compatibleLists)('/v1/$noun, $query', async ({ noun, query }) => {
  const headers = { authorization: `Bearer ${account.secret_key}` }
  const edge = { payment_intents: paths.session_id!, refunds: paths.refund_id!, charges: paths.charge_id! }[noun]!
  const text = typeof query === 'string' ? query : query(edge)
  heard.length = 0
  const answer = await account.client.send('GET', `/v1/${noun}?${text}`, { headers })
  expect(answer.status, answer.text).toBe(200)
  await expectCheap()
})

/** Of the reading statements that were heard. */
async function expectCheap(): Promise<void> {
  const statements = heard.filter((each) => reading(each.text))
  expect(statements.length).toBeGreaterThan(0)
  const dear = []
  for (const statement of statements) {
    const { rows, cost } = await costOf(sql, statement)
    if (rows > rows_max || cost > cost_max) dear.push({ rows, cost, text: statement.text })
  }
  expect(dear).toEqual([])
}

test('what reads all of them is seen', async () => {
  const all = {
    text: 'select count(amount) from payments where merchant_id = $1',
    values: [merchant_id],
  }
  const { rows } = await costOf(sql, all)
  expect(rows).toBeGreaterThan(rows_max)
})
