// The life of a payment or session in sentences: what each entry of the timeline says, with the card, the reason and the amount.

import type { Timeline } from '../client/answers.ts'
import { amountWords } from '../parts/amount.tsx'
import { cardWords } from '../parts/card-mark.tsx'
import { changeWords, handWords } from '../parts/change.ts'
import { exactWords } from '../parts/moment.tsx'
import { answerWords } from '../webhooks/failure.ts'
import { say, sayCode, sayKnown, type WordKey } from '../words.ts'
import { type Entry, foundNothing, type Sending } from './timeline-entries.ts'

export type Sentence = {
  title: string
  /** What belongs to it, such as the card and a reason. */
  notes: string[]
}

export function sentenceOf(entry: Entry, life: Timeline): Sentence {
  const { kind, what, sending } = entry
  if (sending) return sendingSentence(what, sending)
  if (kind === 'refusal') return refusalSentence(entry)
  if (kind === 'event') return { title: say('event_made', { type: what }), notes: [] }
  if (kind === 'end') return { title: sayKnown('decline', what) ?? sayCode('status', what), notes: [] }
  if (kind === 'ahead') return { title: sayCode('ahead', what), notes: [] }
  const { title, notes } = lineSentence(entry, life)
  return { title, notes: [...notes, ...handWords(entry.detail)] }
}

/** How the delivery of an event to an endpoint stands. */
function sendingSentence(
  what: string,
  { event_type, endpoint_url, tries, last, next_at, held_until }: Sending,
): Sentence {
  const title = sayKnown('delivered', what, { event: event_type }) ?? `${event_type} ${what}`
  const waits = { paused: held_until, retrying: next_at, pending: next_at }[what]
  const when = waits && exactWords(new Date(waits))
  return {
    title,
    notes: [
      ...(endpoint_url ? [endpoint_url] : []),
      ...(tries > 1 ? [say('tries', { count: tries })] : []),
      ...(last ? [answerWords(last)] : []),
      ...(when ? [say(what === 'paused' ? 'paused_until' : 'next_try', { when })] : []),
    ],
  }
}

/** Why a shopper could not go on, by the code of the refusal. */
export function toldWords(code: string): string {
  return sayKnown('told', code) ?? sayCode('refusal', code)
}

/** What the shopper could not do, and why. */
function refusalSentence({ what, detail: { path, status } }: Entry): Sentence {
  const step = String(path).split('/').at(-1)!
  return {
    title: say('shopper_refused', { reason: toldWords(what) }),
    notes: [sayCode('shopper_step', step), `${status} ${what}`],
  }
}

/** Who is behind an entry: of an answer, whoever began what it answers. Null where it goes without saying. */
export function actorOf({ who, detail: { operation_id } }: Entry, { lines }: Timeline): string | null {
  const actor = beginOf(operation_id, lines)?.actor ?? who
  return actor === 'shopper' || actor === 'bank' ? null : actor
}

/** The newest line of a payment's own that a person wrote in place of the acquirer. */
export function settledByHand(payment_id: string, { lines }: Timeline): Timeline['lines'][number] | undefined {
  return lines.findLast(({ subject, detail }) => subject === payment_id && handWords(detail).length > 0)
}

function beginOf(operation_id: unknown, lines: Timeline['lines']): Timeline['lines'][number] | undefined {
  if (operation_id === undefined) return undefined
  return lines.find(({ change, detail }) => isBegun(change) && detail.operation_id === operation_id)
}

/** Why somebody captured, voided or escalated. The line of an answer that came late does not say it, the one that began it does. */
function noteOn({ detail: { note, operation_id } }: Entry, { lines }: Timeline): string[] {
  const text = note ?? beginOf(operation_id, lines)?.detail.note
  return typeof text === 'string' ? [text] : []
}

/** Who captured or voided the held payment, and why; null where nobody has. */
export function decisionIn(
  entries: Entry[],
  life: Timeline,
): { entry: Entry; actor: string | null; note: string | null } | null {
  const entry = entries.find(isDecision)
  return entry ? { entry, actor: actorOf(entry, life), note: noteOn(entry, life)[0] ?? null } : null
}

function isDecision({ detail }: Entry): boolean {
  return detail.decided_by !== undefined
}

/** When the rules decided about a held payment; null for whatever else they or others did. */
export function rulesIn(entry: Entry, life: Timeline): string | null {
  if (!isDecision(entry) || actorOf(entry, life) !== 'rules') return null
  const of = life.payments.find(({ payment_id }) => payment_id === entry.detail.subject)
  const at = beginOf(entry.detail.operation_id, life.lines)?.at ?? entry.at
  return rulesWords({ change: entry.what, at, deadline: of?.hold_deadline ?? null })
}

/** Null where it is not known. Before the deadline an authorisation may lapse at the acquirer. */
export function rulesWords(decision: { change: string; at: string; deadline: string | null }): string | null {
  const { change, at, deadline } = decision
  if (deadline !== null && at >= deadline) return say('rules_at_deadline')
  return deadline !== null && change.includes('capture') ? say('rules_below_limit') : null
}

/** Whether only developers want to know: a step that went well, and that another entry tells the end of. */
export function isStep({ kind, what }: Entry, { lines }: Timeline): boolean {
  if (kind === 'event') return true
  return kind === 'line' && isBegun(what) && lines.at(-1)?.change !== what
}

function isBegun(change: string): boolean {
  return change.endsWith('.begun')
}

function lineSentence(entry: Entry, life: Timeline): Sentence {
  const { what, detail } = entry
  const payment = life.payments.find(({ payment_id }) => payment_id === detail.subject)
  const refunds = life.payments.flatMap((each) => each.refunds)
  const refund = refunds.find(({ id }) => id === detail.subject || id === detail.refund_id)
  // Of a refund perhaps a part.
  const amount = amountIn(refund ? { ...refund, ...detail } : (payment ?? detail))
  const attempt_id = payment?.attempt_id ?? detail.subject
  const card = life.attempts.find((each) => each.attempt_id === attempt_id)?.card
  const reason = reasonOf(entry)
  const values = { amount, ...(reason && { reason }) }
  if (what === 'attempt.opened') return { title: changeWords(what), notes: card ? [cardWords(card)] : [] }
  if (what === 'attempt.moved') return { title: moveWords(entry, life), notes: [] }
  if (what === 'hold.escalated') return { title: changeWords(what), notes: noteOn(entry, life) }
  if (what === 'session.created') return { title: changeWords(what), notes: [amount] }
  const key = stories[what]
  // A line of an earlier release may lack what the sentence says.
  const is_whole = amount !== '' && (reason !== null || !/declined|failed|held/.test(what))
  const title =
    key && is_whole ? say(key, values) : changeWords(foundNothing(entry) ? 'orphan.nothing_to_reverse' : what)
  const note = noteOn(entry, life)
  if (refund) return { title, notes: note.length > 0 || !refund.reason ? note : [refund.reason] }
  if (what.endsWith('.refused') && reason && !foundNothing(entry)) return { title, notes: [reason, ...note] }
  return { title, notes: [...(payment && card && key ? [cardWords(card)] : []), ...note] }
}

const stories: Record<string, WordKey> = {
  'payment.captured': 'story_payment_captured',
  'payment.held': 'story_payment_held',
  'payment.voided': 'story_payment_voided',
  'payment.declined': 'story_payment_declined',
  'payment.failed': 'story_payment_failed',
  'refund.begun': 'story_refund_begun',
  'refund.succeeded': 'story_refund_succeeded',
  'refund.failed': 'story_refund_failed',
  'refund.settled_otherwise': 'story_refund_settled_otherwise',
  'refund.reopened': 'story_refund_reopened',
}

function reasonOf({ detail }: Entry): string | null {
  const { decline_code, failure_code, hold_reason } = detail
  if (hold_reason) return sayCode('hold_reason', String(hold_reason))
  const code = decline_code ?? failure_code
  return code ? sayCode('decline', String(code)) : null
}

/** What the bank said. It asked for nothing where no challenge came before. */
function moveWords({ detail, what }: Entry, { lines, attempts }: Timeline): string {
  const { subject, three_ds_state: state } = detail
  if (typeof state !== 'string') return changeWords(what)
  const was_asked = lines.some(
    (line) => line.subject === subject && line.detail.three_ds_state === 'awaiting_challenge',
  )
  if (state === 'failed' && was_asked) {
    const failure = attempts.find(({ attempt_id }) => attempt_id === subject)?.authentication_failure
    if (failure && failure.code !== 'authentication_failed') return sayCode('decline', failure.code)
  }
  return sayCode('story', state === 'authenticated' && !was_asked ? 'frictionless' : state)
}

/** Of a capture of a part that part. */
function amountIn(detail: { amount?: unknown; captured_amount?: unknown; currency?: unknown }): string {
  const { amount, captured_amount, currency } = detail
  if (typeof captured_amount === 'number') return amountIn({ amount: captured_amount, currency })
  return typeof amount === 'number' && typeof currency === 'string' ? amountWords(amount, currency) : ''
}
