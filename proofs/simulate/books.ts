// Compares a world's database with the bank's books and the journal, once all has come to rest.

import type { Sql } from '../../src/database/open.ts'
import { type Authorisation, hasLapsed, hasPersonActed, isLive } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'
import { faultsOfEnds } from './charge-ends.ts'
import { faultsOfAuthentication, faultsOfShift } from './facts.ts'
import type { KnownPayment } from './known-payment.ts'
import { type Fault, unless } from './violations.ts'
import { faultsOfWay } from './way.ts'

type Moment = {
  /** The time of the world. */
  now_ms: number
  /** By how much the clocks of two processes may differ. */
  skew_ms: number
  /** For so long a failover kept everything from being reversed. */
  braked_ms: number
  /** How many comparisons of books failed and said so. */
  comparisons_failed: number
}
/** What a payment by itself is judged by. */
type Clock = Pick<Moment, 'now_ms' | 'skew_ms'>

/** What does not agree. */
export async function faultsOfBooks(
  sql: Sql,
  lives: KnownPayment[],
  { bank, without_eci, ...moment }: Moment & { bank: Bank; without_eci: Set<string> },
): Promise<Fault[]> {
  return [
    ...lives.flatMap((life) => faultsOf(life, moment)),
    ...lives.flatMap((life) => faultsOfAuthentication(life, without_eci)),
    ...lives.flatMap(faultsOfShift),
    ...faultsOfWay(lives, { ...moment, bank }),
    ...(await faultsOfSessions(sql)),
    ...(await faultsOfOrphans(sql, bank)),
  ]
}

function faultsOf(life: KnownPayment, { now_ms, skew_ms }: Clock): Fault[] {
  const faults = [
    ...faultsOfMoney(life, { now_ms, skew_ms }),
    ...faultsOfTelling(life),
    ...faultsOfSession(life),
    ...faultsOfHold(life),
    ...faultsOfWaiting(life, skew_ms),
  ]
  const { payment_id, status } = life.payment
  return faults.map(([invariant, fault]) => [invariant, `${payment_id}, ${status}: ${fault}`])
}

function faultsOfMoney(life: KnownPayment, { now_ms, skew_ms }: Clock): Fault[] {
  const { payment, session, operations, authorisations, captures, voids, hold } = life
  const { status } = payment
  const live = authorisations.filter((entry) => isLive(entry, now_ms))
  const taken = live.some(({ captured_ms }) => captured_ms !== null)
  const reserved = live.some(({ captured_ms }) => captured_ms === null)
  const ends_ms = new Date(session.expires_at).getTime() + on_its_way_ms + skew_ms
  const inTime = ({ asked_ms, delay_ms }: Authorisation) => asked_ms - delay_ms <= ends_ms
  // Nobody knows what became of these: a person said so.
  const is_known = !authorisations.some(({ behaviour }) => behaviour === 'lost_for_ever')
  const charges = operations.filter(({ kind }) => kind === 'authorise')
  const right = ({ amount, currency }: Pick<Authorisation, 'amount' | 'currency'>) =>
    amount === Number(payment.amount) && currency === payment.currency
  const by_person = authorisations.some(hasPersonActed)
  const has_lapsed = authorisations.some((entry) => hasLapsed(entry, now_ms))
  const refused = status === 'declined' || status === 'failed'
  return [
    ...unless(charges.length <= 1, 'I4', 'it was charged under two references'),
    ...unless(live.length <= 1, 'I4', 'two live authorisations'),
    ...unless(captures + voids <= 1, 'I4', `captured ${captures} times, voided ${voids} times`),
    ...unless(
      authorisations.every((entry) => right(entry.asked_for)),
      'I4',
      'another amount was asked for',
    ),
    ...unless(refused || live.every(right), 'I4', 'the bank has another amount'),
    ...unless(
      authorisations.every(({ asked_for }) => asked_for.capture === session.amount_verified),
      'I4',
      'an amount that was not verified was taken at once, or one that was is held',
    ),
    ...authorisations.flatMap((entry) =>
      unless(
        inTime(entry),
        'I3',
        `${entry.reference} came ${entry.asked_ms - ends_ms} ms after its session had expired, ${entry.delay_ms} of them late`,
      ),
    ),
    ...(is_known && !by_person
      ? [
          ...unless((status === 'captured') === taken, 'I4', `the bank took the money: ${taken}`),
          ...unless((status === 'held') === reserved, 'I4', `the bank holds it: ${reserved}`),
          ...unless(
            status === 'voided' ? voids === 1 || has_lapsed : voids === 0,
            'I4',
            `the bank voided it: ${voids}`,
          ),
          ...unless(!refused || live.length === 0, 'I5', 'the bank holds or took the money'),
        ]
      : []),
    ...faultsOfEnds(life, { now_ms, skew_ms }),
    ...unless(hold !== null || !reserved, 'I6', 'held there, and no hold here'),
  ]
}

/** The longest that a request may be on its way, and a little. */
const on_its_way_ms = 60_000

function faultsOfTelling({ payment, hold, events, lines, operations }: KnownPayment): Fault[] {
  const { status } = payment
  const outcome = status === 'pending' ? [] : [hold ? 'payment.held' : `payment.${status}`]
  const decision = hold && status !== 'held' ? [`payment.${status}`] : []
  const expected = [...outcome, ...decision]
  const types = events.map(({ type }) => type)
  const told = lines.map(({ change }) => change)
  const outcomes = told.filter((change) => change.startsWith('payment.'))
  const begun = told.filter((change) => change === 'charge.begun').length
  const last = events.length > 0 ? JSON.parse(events.at(-1)!.body) : null
  return [
    ...unless(same(types, expected), 'I7', `its events are ${types}`),
    ...unless(
      events.every(({ sequence }, at) => sequence === at + 1),
      'I7',
      'its events are out of sequence',
    ),
    ...unless(last === null || last.data.status === status, 'I7', 'its last event says otherwise'),
    ...unless(same(outcomes.toSorted(), expected.toSorted()), 'I10', `journal: ${outcomes}`),
    ...unless(
      begun === operations.filter(({ kind }) => kind === 'authorise').length,
      'I10',
      `the journal tells of ${begun} charges`,
    ),
  ]
}

function faultsOfSession(life: KnownPayment): Fault[] {
  const { session, payment, result, hold, operations } = life
  const { status, settlement, answer_by } = session
  const is_newest = session.payment_id === payment.payment_id
  const paid = ['captured', 'held', 'voided'].includes(payment.status)
  const open = operations.filter(({ state }) => ['sent', 'unknown', 'reversing'].includes(state))
  return [
    ...unless(open.length === 0, 'I11', `${open.map(({ kind }) => kind)} without an answer`),
    ...unless(payment.status !== 'pending', 'I11', 'it is pending'),
    ...unless(!is_newest || (settlement === null && answer_by === null), 'I11', 'an answer is due'),
    ...unless(!is_newest || (status === 'succeeded') === paid, 'I2', `its session is ${status}`),
    ...unless(is_newest || !paid, 'I3', 'another payment of its session came after it'),
    ...unless(!isFraud(life) || status === 'declined', 'I2', `a fraud left its session ${status}`),
    ...unless(result?.status === (hold ? 'held' : payment.status), 'I2', `confirm answers ${result?.status}`),
  ]
}

/** Whether an answer or a notice said so first. */
function isFraud({ payment, authorisations }: KnownPayment): boolean {
  const of_fraud = authorisations.some(({ behaviour }) => behaviour === 'suspected_fraud' || behaviour === 'fraudulent')
  return payment.status === 'declined' && of_fraud
}

function faultsOfHold({ payment, hold, operations }: KnownPayment): Fault[] {
  const decisions = operations.filter(({ kind }) => kind === 'capture' || kind === 'void')
  const made = decisions.filter(({ state }) => state === 'approved')
  if (!hold) return unless(decisions.length === 0, 'I6', 'decided without being held')
  const waits = hold.status === 'pending_review' || hold.status === 'escalated'
  const by = made[0]?.asked_by ?? null
  const kind = hold.status === 'captured' ? 'capture' : 'void'
  return [
    ...unless(!waits, 'I11', 'nobody decided on its hold'),
    ...unless(waits || payment.status === hold.status, 'I6', `its hold is ${hold.status}`),
    ...unless(waits || (made.length === 1 && made[0]!.kind === kind), 'I6', 'decided otherwise'),
    ...unless(hold.decided_by === by, 'I6', `by ${hold.decided_by}, asked by ${by}`),
    ...unless(hold.operation_id === null, 'I6', 'something is under way'),
  ]
}

/** While an answer is missing nothing else may begin. */
function faultsOfWaiting({ session, lines, payment }: KnownPayment, skew_ms: number): Fault[] {
  const own = lines.filter(({ subject }) => subject === payment.payment_id)
  const begun = own.find(({ change }) => change === 'charge.begun')
  const ended = own.find(({ change }) => change.startsWith('payment.'))
  if (!begun || !ended) return []
  const since_ms = begun.at.getTime() + skew_ms
  const until_ms = ended.at.getTime() - skew_ms
  const between = lines.filter(({ at }) => at.getTime() > since_ms && at.getTime() < until_ms)
  const wrong = between.find(
    ({ change, subject }) =>
      change === 'attempt.opened' ||
      (subject === payment.payment_id && (change === 'capture.begun' || change === 'void.begun')),
  )
  return unless(!wrong, 'I9', `${wrong?.change} of ${session.session_id} before there was an answer`)
}

/** How many live payments and how many attempts each session has. */
export function countPerSession(sql: Sql) {
  return sql<{ session_id: string; live: number; attempts: number }[]>`
    select s.session_id,
      (select count(*)::int from payments p where p.merchant_id = s.merchant_id
        and p.session_id = s.session_id and p.status in ('captured', 'held', 'pending')) as live,
      (select count(*)::int from attempts a where a.merchant_id = s.merchant_id
        and a.session_id = s.session_id) as attempts
    from sessions s`
}

async function faultsOfSessions(sql: Sql): Promise<Fault[]> {
  const lives = await countPerSession(sql)
  const [counts] = await sql<Record<'sessions' | 'keys' | 'opened' | 'attempts' | 'created', number>[]>`
    select (select count(*)::int from sessions) as sessions,
      (select count(*)::int from idempotency_keys 
        where (route like '%sessions' and status = 201)
          or (route like '%payment_intents' and status = 200)) as keys,
      (select count(*)::int from journal where change = 'session.created') as created,
      (select count(*)::int from attempts) as attempts,
      (select count(*) filter (where change = 'attempt.opened')::int
        - count(*) filter (where change = 'attempt.withdrawn')::int from journal) as opened`
  const { sessions, keys, opened, attempts, created } = counts!
  return [
    ...lives.flatMap(({ session_id, live, attempts }) => [
      ...unless(live <= 1, 'I3', `${session_id} has ${live} live payments`),
      ...unless(attempts <= 3, 'I3', `${session_id} has ${attempts} attempts`),
    ]),
    ...unless(sessions === keys, 'I1', `${sessions} sessions were made under ${keys} keys`),
    ...unless(sessions === created, 'I10', `${created} lines tell of ${sessions} sessions`),
    ...unless(attempts === opened, 'I10', `${opened} lines tell of ${attempts} attempts`),
  ]
}

/** What the bank has and no operation of ours knows. */
async function faultsOfOrphans(sql: Sql, bank: Bank): Promise<Fault[]> {
  const rows = await sql<{ operation_id: string }[]>`select operation_id from acquirer_operations`
  const known = new Set(rows.map(({ operation_id }) => operation_id))
  const reversals = await sql<{ operation_id: string }[]>`
    select operation_id from orphan_authorisations`
  for (const { operation_id } of reversals) known.add(operation_id)
  const foreign = bank.settlements.filter(({ reference, kind }) => !known.has(reference) && kind !== 'reverse')
  return [
    ...[...bank.authorisations.values()].flatMap((entry) => {
      const { reference } = entry
      if (known.has(reference)) return []
      return [
        ...unless(bank.strangers.has(reference), 'I4', `nobody here knows that it sent ${reference}`),
        // It bears the mark of another installation, and is none of ours to take back.
        ...unless(
          hasPersonActed(entry) || (entry.reversed_ms === null && entry.voided_ms === null),
          'I5',
          `${reference} is somebody else's, and was taken back`,
        ),
      ]
    }),
    ...foreign.flatMap(({ kind, reference }) => unless(false, 'I4', `nobody here knows of the ${kind} ${reference}`)),
  ]
}

function same(some: string[], others: string[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}
