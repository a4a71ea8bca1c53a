// From a storm's diary to histories: of every session what was asked of it and of its payments, and of every key.

import type { Sql } from '../../src/database/open.ts'
import type { Histories } from '../histories/judge.ts'
import type { KeyCall } from '../histories/key.ts'
import { type Call, noRules, type Rules, type SessionCall } from '../histories/session.ts'
import { isDefinite } from './asking.ts'
import { codeOf, type Diary, type DiaryCall } from './diary.ts'

/** `ahead_ms` is by how much the clock of a process was ahead of the clients' at most, as it was meant to be. */
export async function historiesOf(sql: Sql, { calls }: Pick<Diary, 'calls'>, ahead_ms: number): Promise<Histories> {
  const whose = sessionsOfPayments(calls)
  const found = calls.flatMap((kept) => {
    const read = readCall(kept, whose)
    return read ? [{ ...read, kept }] : []
  })
  const sessions = Map.groupBy(found, ({ session_id }) => session_id)
  const rules = await readRules(sql)
  return {
    keys: [...Map.groupBy(calls, keyOf)].flatMap(([key, under]) =>
      key === null ? [] : [{ key, calls: under.map(keyCall) }],
    ),
    sessions: [...sessions].map(([session_id, all]) => ({
      session_id,
      calls: all.map(({ call }) => call),
      rules: rulesOf(
        rules.get(session_id),
        all.map(({ call }) => call),
        ahead_ms,
      ),
    })),
  }
}

type Read = { session_id: string; call: Call }

const at_session = /^\/v1\/checkout\/sessions\/(cs_\w+)(?:\/(\w+))?$/
const at_payment = /^\/v1\/payments\/(\w+)(?:\/hold\/(capture|void))?$/

/** Null where the request is of no session that any answer named. */
function readCall(kept: DiaryCall, whose: Map<string, string>): Read | null {
  const { client, begin_ms, asked, said } = kept
  const named = asked.path.match(at_session)
  const paid = asked.path.match(at_payment)
  const session_id = sessionOfCall(kept, whose)
  if (session_id === null) return null
  const end_ms = isDefinite(said) ? kept.end_ms : null
  const meaning = meaningOf(kept, named?.[2] ?? null, paid)
  return { session_id, call: { client, begin_ms, end_ms, ...meaning } }
}

/** Null where nobody was told. */
export function sessionOfCall(kept: DiaryCall, whose: Map<string, string>): string | null {
  const { path } = kept.asked
  const paid = path.match(at_payment)
  return path.match(at_session)?.[1] ?? (paid && whose.get(paid[1]!)) ?? createdBy(kept)
}

function meaningOf(kept: DiaryCall, step: string | null, paid: RegExpMatchArray | null): SessionCall {
  const { asked } = kept
  if (paid) {
    const payment_id = paid[1]!
    if (paid[2] === undefined) return { what: 'read_payment', payment_id, told: told(kept, statusOf) }
    const kind = paid[2] as 'capture' | 'void'
    const replayed = kept.said.replayed
    return {
      what: 'decide',
      kind,
      payment_id,
      told: told(kept, ({ status }) => ({ status, replayed })),
    }
  }
  if (!asked.path.match(at_session)) return { what: 'create', told: told(kept, nothing) }
  switch (step) {
    case 'authenticate': {
      const { card_reference: card } = asked.body as { card_reference: string }
      return { what: 'authenticate', card, told: told(kept, ({ attempt }) => numberOf(attempt)) }
    }
    case 'confirm':
      return { what: 'confirm', told: told(kept, resultOf) }
    case 'state':
      return { what: 'read_state', told: told(kept, stateOf) }
    case null:
      return { what: 'read_session', told: told(kept, sessionOf) }
    default:
      return { what: 'other', told: told(kept, nothing) }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies as they came.
type Body = any

function told<Good>({ said }: DiaryCall, good: (body: Body) => Good) {
  if (!isDefinite(said)) return null
  return said.status! < 300 ? { good: good(said.body) } : { refused: codeOf(said) }
}

const nothing = () => ({})
const statusOf = ({ status }: Body) => ({ status })
const numberOf = ({ id, number }: Body) => ({ id, number })

function resultOf({ status, payment_id, attempt, attempts_left }: Body) {
  return { status, payment_id, attempt: numberOf(attempt), attempts_left }
}

function stateOf({ session, attempt, result }: Body) {
  const { status, attempt_count, settlement } = session
  const told = { status, attempt_count, settlement }
  return { ...told, attempt: attempt && numberOf(attempt), result: result && resultOf(result) }
}

function sessionOf({ status, attempt_count, settlement, payment_id, hold }: Body) {
  return { status, attempt_count, settlement, payment_id, hold_status: hold?.status ?? null }
}

/** The session that an answered create made. */
function createdBy({ said }: DiaryCall): string | null {
  if (!isDefinite(said) || said.status! >= 300) return null
  const { id, client_secret } = said.body
  return id?.startsWith('cs_') ? id : (client_secret?.split('_secret_')[0] ?? null)
}

export function sessionsOfPayments(calls: DiaryCall[]): Map<string, string> {
  return new Map(
    calls.flatMap(({ asked, said }): [string, string][] => {
      const session_id = asked.path.match(at_session)?.[1]
      const payment_id = said.body?.payment_id ?? said.body?.result?.payment_id
      return session_id && payment_id ? [[payment_id, session_id]] : []
    }),
  )
}

function keyOf({ asked: { headers } }: DiaryCall): string | null {
  return headers['rip-idempotency-key'] ?? headers['idempotency-key'] ?? null
}

const running = new Set(['idempotency_key_reused', 'idempotency_key_in_use'])

function keyCall({ client, begin_ms, end_ms, said }: DiaryCall): KeyCall {
  if (!isDefinite(said)) return { client, begin_ms, end_ms: null, told: null }
  const call = { client, begin_ms, end_ms }
  const { status, text, replayed } = said
  if (status! < 300) return { ...call, told: { text, replayed } }
  const refused = codeOf(said)
  return { ...call, told: running.has(refused) ? 'running' : { refused } }
}

type RuleRow = {
  session_id: string
  amount: number
  review_window_seconds: number
  at_deadline: 'capture' | 'void'
  escalate_after_seconds: number | null
  capture_below: number | null
}

async function readRules(sql: Sql): Promise<Map<string, RuleRow>> {
  const rows = await sql<RuleRow[]>`
    select session_id, amount::float8 as amount, review_window_seconds, at_deadline,
      escalate_after_seconds, capture_below::float8 as capture_below
    from sessions s join integrations i on i.merchant_id = s.merchant_id and i.integration_id = s.integration_id`
  return new Map(rows.map((row) => [row.session_id, row]))
}

/** A hold is no older than the first confirm of its session. */
function rulesOf(row: RuleRow | undefined, calls: Call[], ahead_ms: number): Rules {
  if (!row) return noRules
  const confirms = calls.filter(({ what }) => what === 'confirm')
  const held_ms = Math.min(...confirms.map(({ begin_ms }) => begin_ms)) - ahead_ms
  const { at_deadline, review_window_seconds, escalate_after_seconds, capture_below } = row
  const deadline_ms = held_ms + review_window_seconds * 1000
  const is_below = capture_below !== null && row.amount < capture_below
  return {
    ...noRules,
    [at_deadline]: deadline_ms,
    ...(is_below && { capture: held_ms }),
    escalate: escalate_after_seconds === null ? null : held_ms + escalate_after_seconds * 1000,
  }
}
