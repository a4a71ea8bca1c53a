// What a shop refunds of a payment, and whether that agrees with the bank's books once all has come to rest.

import type { Sql } from '../../src/database/open.ts'
import type { Refund } from '../../src/payments/refund.ts'
import type { Bank } from './bank/bank.ts'
import { doOnce, insist, type Living, pause } from './life.ts'
import type { Memory } from './memory.ts'
import type { HttpCall } from './town.ts'
import { type Fault, unless } from './violations.ts'

type Paid = { session_id: string; payment_id: string }

/** Refunds all, a part or several, at once or one after the other; what is not captured is refused. */
export async function refundSome(living: Living, paid: Paid): Promise<void> {
  const { chance } = living
  const rounds = chance.pick([1, 1, 2, 3])
  for (let round = 0; round < rounds; round++) {
    const at_once = chance.often(0.3) ? 2 : 1
    await Promise.all(Array.from({ length: at_once }, () => refundOnce(living, paid)))
    await pause(living, 20)
  }
  await readRefunds(living, paid)
  if (chance.often(0.3)) {
    await pause(living, 120)
    await readRefunds(living, paid)
  }
}

async function refundOnce(living: Living, paid: Paid): Promise<void> {
  const { chance } = living
  const amount = chance.pick([null, null, 13, 17, 100, 1 + chance.below(2_000)])
  const key = chance.bytes(8).toString('hex')
  const way = chance.pick([byRoute, byRoute, byCompatibleRoute])
  const asked = way(living, paid, { amount, key })
  await doOnce(living, asked, key)
}

type Way = (living: Living, paid: Paid, wish: { amount: number | null; key: string }) => HttpCall

const byRoute: Way = ({ shop }, { payment_id }, { amount, key }) => ({
  method: 'POST',
  path: `/v1/payments/${payment_id}/refunds`,
  headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': key },
  body: { ...(amount !== null && { amount }), reason: 'sent back' },
})

const byCompatibleRoute: Way = ({ shop }, { session_id }, { amount, key }) => ({
  method: 'POST',
  path: '/v1/refunds',
  headers: { authorization: `Bearer ${shop.secret_key}`, 'idempotency-key': key },
  body: { payment_intent: session_id, ...(amount !== null && { amount }) },
})

async function readRefunds(living: Living, { payment_id }: Paid): Promise<void> {
  const headers = { 'x-service-api-key': living.shop.secret_key }
  const path = `/v1/payments/${payment_id}/refunds`
  const answer = await insist(living, { method: 'GET', path, headers })
  for (const refund of answer?.status === 200 ? answer.body.refunds : []) {
    living.memory.keepRefund(refund)
  }
}

type Row = Refund & { captured: number; refunded: number; sums: number }

/** Each refund is in the bank's books as it is in ours, whoever read it, and no more was given than was taken. */
export async function faultsOfRefunds(sql: Sql, bank: Bank, memory: Memory): Promise<Fault[]> {
  const rows = await sql<Row[]>`
    select r.*, p.amount as captured, p.refunded_amount as refunded,
      (select sum(amount)::bigint from refunds o where o.merchant_id = r.merchant_id
        and o.payment_id = r.payment_id and o.status <> 'failed') as sums
    from refunds r join payments p using (merchant_id, payment_id) order by r.refund_id`
  const events = await sql<{ payment_id: string; type: string }[]>`
    select payment_id, type from events where type like 'refund.%' order by sequence`
  const told = Map.groupBy(events, ({ payment_id }) => payment_id)
  const given = bank.settlements.filter(({ kind, answer }) => kind === 'refund' && answer.result === 'approved')
  const times = (operation_id: string) => given.filter(({ reference }) => reference === operation_id).length
  /** Sent back days later, or carried out in part: what is to be said of it, the standing of its charge says. */
  const isOdd = ({ operation_id, amount }: Row) =>
    bank.settlements.some(
      ({ kind, reference, of, answer, ...act }) =>
        kind === 'refund' &&
        reference === operation_id &&
        bank.touched.has(of) &&
        (answer.result !== 'approved' || act.amount !== Number(amount)),
    )
  const kept = new Map(rows.map((row) => [row.refund_id as string, row]))
  const known = new Set(rows.map(({ operation_id }) => operation_id))
  return [
    ...rows.flatMap((row) => {
      const { refund_id, operation_id, status, captured, refunded, sums } = row
      const types = (told.get(refund_id) ?? []).map(({ type }) => type)
      const name = `${refund_id}, ${operation_id}, ${status}`
      return [
        ...unless(status !== 'pending', 'I11', `${name}: it has no answer`),
        ...unless(
          isOdd(row) || times(operation_id) === (status === 'succeeded' ? 1 : 0),
          'I16',
          `${name}: given ${times(operation_id)} times there`,
        ),
        ...unless(refunded <= captured, 'I16', `${name}: ${refunded} of ${captured} is refunded`),
        ...unless(refunded === (sums ?? 0), 'I16', `${name}: ${refunded} counted, ${sums} made`),
        ...unless(
          status === 'pending' ||
            (types.length === 1 && types[0] === `refund.${status}`) ||
            (isOdd(row) && `${types}` === 'refund.succeeded,refund.failed'),
          'I7',
          `${name}: its events are ${types}`,
        ),
      ]
    }),
    ...given.flatMap(({ reference, amount }) =>
      unless(known.has(reference), 'I16', `${reference}: ${amount} given, and no refund is ours`),
    ),
    ...[...bank.authorisations.values()].flatMap((entry) => {
      const { reference, refunded_amount, captured_amount, amount } = entry
      const most = captured_amount ?? amount
      const words = `${reference}: ${refunded_amount} given of ${most}`
      return unless(refunded_amount <= most, 'I16', words)
    }),
    ...[...memory.refunds.values()].flatMap(({ id, status, amount }) => {
      const now = kept.get(id)
      const agrees = now?.amount === amount && (now.status === status || status === 'pending')
      const was_sent_back = now !== undefined && status === 'succeeded' && isOdd(now)
      return unless(agrees || was_sent_back, 'I2', `${id} was read as ${status}, and is ${now?.status}`)
    }),
  ]
}
