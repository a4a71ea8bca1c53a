// What planted faults do to the texts of statements, to rows, to clocks and to answers.

import { type Accepted, type Acquirer, isGone, type SettleAnswer } from '../../src/acquirers/acquirer.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { isOutcome } from './sql-seam.ts'

type Template = TemplateStringsArray

/** Writes another text wherever a part of a statement says this, or is no more than this. */
export function inSql(said: string, instead: string, { is_whole = false } = {}) {
  return rewriting((texts) => {
    const says = (text: string) => (is_whole ? text === said : text.includes(said))
    return texts.some(says) ? texts.map((text) => text.replace(said, instead)) : null
  })
}

export function both(one: (template: Template) => Template, other: typeof one) {
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
export function withoutLines(template: Template): Template {
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
export function withOtherKey(template: Template): Template {
  return other(template)
}

/** Of an outcome's statement, a lock that was not free is no passing thing. */
export function asError(error: unknown, label: string): unknown {
  const is_locked = (error as { code?: unknown }).code === '55P03'
  return is_locked && isOutcome(label) ? new Error('nobody knows this failure') : error
}

export function withoutWithdrawals(rows: unknown): unknown {
  for (const row of rows as { key_hash?: Buffer; revoked_at?: Date | null }[]) {
    if (row.key_hash) row.revoked_at = null
  }
  return rows
}

/** Sessions are read as if they lived for an hour more. */
export function livingLonger(rows: unknown): unknown {
  const later = (at: string | Date) => new Date(new Date(at).getTime() + 3_600_000)
  type Row = { session?: { expires_at?: string }; attempt_count?: number; expires_at?: Date }
  for (const row of rows as Row[]) {
    const { session } = row
    if (session?.expires_at) session.expires_at = later(session.expires_at).toISOString()
    if (row.attempt_count !== undefined && row.expires_at) row.expires_at = later(row.expires_at)
  }
  return rows
}

/** The time of a call is that of the last look at the clock, which was long ago. */
export function seldomRead(clock: Clock): Clock {
  let known = clock.now()
  return {
    ...clock,
    now() {
      const now = clock.now()
      if (now.getTime() - known.getTime() > 15_000) known = now
      return known
    },
  }
}

/** What is gone already cannot be voided, as any refusal. */
export function unlessGone(answer: SettleAnswer | Accepted): SettleAnswer | Accepted {
  if (answer.result !== 'refused' || !isGone(answer)) return answer
  return { ...answer, decline_code: 'do_not_honor', authorisation_known: true }
}

const unbound = rewriting((texts) => {
  const columns = /^\((.*)\) select $/.exec(texts[0] ?? '')?.[1]?.split(', ')
  const detail = columns?.includes('"entry_id"') ? columns.indexOf('"detail"') : -1
  if (detail < 0) return null
  return texts.map((text, at) => {
    if (at === detail) return `${text}(`
    return at === detail + 1 ? `::jsonb - 'amount' - 'currency')::json${text}` : text
  })
})
export function withoutAmounts(template: Template): Template {
  return unbound(template)
}

/** What a page calls its goods is taken for the list's word. */
export function withOtherNames(rows: unknown): unknown {
  for (const { price_list } of rows as { price_list?: { name: string }[] | null }[]) {
    for (const item of price_list ?? []) item.name = 'Grand piano'
  }
  return rows
}

/** Whoever confirms a session does not see the address that it was opened with. */
export function withoutEmails(rows: unknown): unknown {
  for (const { session } of rows as { session?: { customer?: { email?: string | null } } }[]) {
    if (session?.customer?.email) session.customer.email = null
  }
  return rows
}

/** A charge that failed reads as if its approval had been recorded. */
export function asIfApproved(rows: unknown): unknown {
  for (const row of rows as { kind?: string; state?: string; operation_id?: string }[]) {
    if (row.kind !== 'authorise' || row.operation_id === undefined) continue
    if (row.state === 'failed' || row.state === 'declined') row.state = 'approved'
  }
  return rows
}

/** Whatever is listed passes for ours. */
export function underOurMark(line: Acquirer): Acquirer {
  let installation = ''
  return {
    ...line,
    authorise(request) {
      installation = request.installation
      return line.authorise(request)
    },
    async listAuthorisations(within) {
      const listed = await line.listAuthorisations(within)
      return listed.map((each) => ({ ...each, installation }))
    },
  }
}

export const nothingThere: SettleAnswer = {
  result: 'refused',
  reason: 'unknown authorisation',
  decline_code: 'unknown_authorisation',
  authorisation_known: false,
}
