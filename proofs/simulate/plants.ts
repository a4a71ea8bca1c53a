// Faults planted into the product, to prove that the simulation finds them: each changes what passes one seam.

import {
  type Acquirer,
  type AuthoriseRequest,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import type { DeliverySettings } from '../../src/webhooks/deliver.ts'
import type { GuardedHttp, World } from '../../src/world.ts'
import type { Jobs } from './process.ts'

export type Plant = {
  acquirer?(line: Acquirer, world: World): Acquirer
  receivers?(line: GuardedHttp): GuardedHttp
  /** The text of a statement, or a part of one, as it is written down instead. */
  sql?(template: TemplateStringsArray): TemplateStringsArray
  /** The rows that a statement is heard to have. */
  rows?(rows: unknown): unknown
  settings?: Partial<DeliverySettings>
  stops_job?: Jobs
  /** What a client hears instead. */
  answer?(answer: Heard): Heard
}

export type Heard = { status: number; text: string; headers: Record<string, string> }

export const nothing: Plant = {}

export const plants: Record<string, Plant> = {
  'a charge is sent twice': {
    acquirer: (line, world) => ({
      ...line,
      async authorise(request) {
        const answer = await line.authorise(request)
        await line.authorise({ ...request, reference: another(world) }).catch(() => {})
        return answer
      },
    }),
  },
  'a capture is sent twice': {
    acquirer: (line, world) => ({
      ...line,
      async capture(request) {
        const answer = await line.capture(request)
        await line.capture({ ...request, reference: another(world) }).catch(() => {})
        return answer
      },
    }),
  },
  'a lost answer counts as a decline': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) =>
        line.authorise(request).catch((error: unknown) => {
          if (!(error instanceof Unanswered)) throw error
          const decline = { code: 'card_declined', category: 'soft', reason: null } as const
          return { result: 'declined' as const, decline, acquirer_transaction_id: null }
        }),
    }),
  },
  'a void is never sent': {
    acquirer: (line) => ({
      ...line,
      void: async () => ({ result: 'approved', acquirer_transaction_id: 'made up' }),
    }),
  },
  'another amount is charged': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) => line.authorise({ ...request, amount: request.amount + 1 }),
    }),
  },
  'an amount that nobody verified is taken at once': {
    acquirer: (line) => ({
      ...line,
      authorise: (request) => line.authorise({ ...request, capture: true }),
    }),
  },
  'a card number is logged': {
    acquirer: (line, { log }) => ({
      ...line,
      authorise(request: AuthoriseRequest) {
        log.info({ number: request.card.number }, 'about to charge')
        return line.authorise(request)
      },
    }),
  },
  'a capture goes out under a new reference each time': {
    acquirer: (line, world) => ({
      ...line,
      capture: (request: SettleRequest) => line.capture({ ...request, reference: another(world) }),
    }),
  },
  'an answer may be recorded twice': {
    sql: inSql("state in ('sent', 'unknown')", 'true', { is_whole: true }),
  },
  'some endpoints are not told': {
    sql: inSql("and e.status = 'active'", "and e.status = 'active' and e.endpoint_id > 'whep_8'"),
  },
  'an event changes when it is told again': {
    sql: inSql(
      'ev.type as event_type, ev.body,',
      "ev.type as event_type, case when c.attempt_number > 1 then ev.body || ' ' else ev.body end as body,",
    ),
  },
  'a delivery that was begun is never due again': {
    sql: inSql(
      ', last_attempt_id = coalesce(q.attempt_id',
      " + interval '1000 days', last_attempt_id = coalesce(q.attempt_id",
    ),
  },
  'a card is kept after its attempt': {
    sql: inSql(' and exists (select 1 from gate)),\n    code as', ' and false),\n    code as'),
  },
  "another merchant's payment can be read": {
    sql: inSql(
      'using (merchant_id, session_id)\n    where p.merchant_id = ',
      "using (merchant_id, session_id)\n    where p.merchant_id >= '' and '' <> ",
    ),
  },
  'two confirms at once may both begin': {
    sql: both(
      inSql("\n    and phase = 'authenticating'", ''),
      inSql("and status = 'requires_payment' and attempt_count = ", 'and attempt_count = '),
    ),
  },
  'two decisions at once may both begin': {
    sql: both(
      inSql(
        ' for update\n    ), gate as (\n      select 1 from holds',
        '\n    ), gate as (\n      select 1 from holds',
      ),
      inSql(' and exists (select 1 from locked) for update', ' and exists (select 1 from locked)'),
    ),
  },
  'a withdrawn key goes on': { rows: withoutWithdrawals },
  'the journal misses outcomes': { sql: withoutLines },
  'an idempotency key is forgotten': { sql: withOtherKey },
  'a session is charged although it has expired': { rows: livingLonger },
  'a replay has another body': {
    answer: (answer) =>
      answer.headers['rip-idempotent-replayed'] === 'true'
        ? { ...answer, text: answer.text.replace(/"created_at":"2026/, '"created_at":"2027') }
        : answer,
  },
  'deliveries are signed with another hour': { settings: { clock_offset_seconds: 3_600 } },
  'a delivery counts although nobody was reached': {
    receivers: (line) => ({
      ...line,
      post: async () => ({ status: 200, retry_after_seconds: null, body: '' }),
    }),
  },
  'nobody looks for lost answers': { stops_job: 'reconcile' },
  'nobody applies the rules of holds': { stops_job: 'apply_hold_rules' },
  'nobody looks for orphans': { stops_job: 'sweep_orphans' },
}

function another({ random }: World): string {
  return random.bytes(16).toString('hex')
}

type Template = TemplateStringsArray

/** Writes another text wherever a part of a statement says this, or is no more than this. */
function inSql(said: string, instead: string, { is_whole = false } = {}) {
  return rewriting((texts) => {
    const says = (text: string) => (is_whole ? text === said : text.includes(said))
    return texts.some(says) ? texts.map((text) => text.replace(said, instead)) : null
  })
}

function both(one: (template: Template) => Template, other: typeof one) {
  return (template: Template) => other(one(template))
}

/** The driver keeps something for each template, so each is rewritten once. */
function rewriting(change: (texts: readonly string[]) => string[] | null) {
  const made = new WeakMap<Template, Template>()
  return (template: Template): Template => {
    const known = made.get(template)
    if (known) return known
    const texts = change(template)
    const rewritten = texts ? Object.assign(texts, { raw: [...texts] }) : template
    made.set(template, rewritten)
    return rewritten
  }
}

/** Lines of the journal that hang on the outcome's own gate are not written. */
const without = rewriting((texts) => {
  const is_line = texts[0]?.includes('"entry_id"') && texts.at(-1) === ' from "gate"'
  return is_line ? [...texts.slice(0, -1), ' from "gate" where false'] : null
})
function withoutLines(template: Template): Template {
  return without(template)
}

/** What is kept is another key than the one that was sent. */
const other = rewriting((texts) => {
  const columns = /^\((.*)\) values \($/.exec(texts[0] ?? '')?.[1]?.split(', ')
  if (!columns?.includes('"audience"')) return null
  const behind = columns.indexOf('"key"') + 1
  const more = ' || (select count(*) from sessions)::text'
  return texts.map((text, at) => (at === behind ? more + text : text))
})
function withOtherKey(template: Template): Template {
  return other(template)
}

function withoutWithdrawals(rows: unknown): unknown {
  for (const row of rows as { key_hash?: Buffer; revoked_at?: Date | null }[]) {
    if (row.key_hash) row.revoked_at = null
  }
  return rows
}

/** Sessions are read as if they lived for an hour more. */
function livingLonger(rows: unknown): unknown {
  const later = (at: string | Date) => new Date(new Date(at).getTime() + 3_600_000)
  type Row = { session?: { expires_at?: string }; attempt_count?: number; expires_at?: Date }
  for (const row of rows as Row[]) {
    const { session } = row
    if (session?.expires_at) session.expires_at = later(session.expires_at).toISOString()
    if (row.attempt_count !== undefined && row.expires_at) row.expires_at = later(row.expires_at)
  }
  return rows
}
