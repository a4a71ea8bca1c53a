// `ripper audit show`: a payment's whole life in order of time, from its session's creation to the last delivery.

import { inCell } from '../database/cells/cells.ts'
import { Refusal } from '../kernel/errors.ts'
import { readLife, viewLife } from '../payments/history/payment-history.ts'
import { findLifeKey } from '../payments/reading/life-store.ts'
import { merchantNamed, merchantOption, withCommandContext } from './command-context.ts'
import { UsageError } from './terminal/command.ts'
import { answerOf } from './terminal/failure-words.ts'
import { command } from './terminal/option.ts'
import { money, oneLine, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'

export const auditShow = command({
  name: 'audit show',
  summary: 'Shows the whole life of a payment: who did what and when, and which events were sent',
  positionals: ['PAYMENT_ID'],
  options: { merchant: { ...merchantOption, meaning: 'its merchant; by default found by the id' } },
  remarks: [
    'Takes the id of a payment (pay_…) or of a session (cs_…), and shows the whole session: each attempt and its payment.',
    'The numbered rows are the lines of the journal, which are sealed; the other rows are events and their deliveries.',
    'Ids are shortened; --json has whole ids, and each line of the journal with its hash.',
    'The exit status is 1 if the hash of a line is wrong.',
  ],
  async run({ options: { merchant }, positionals, json }) {
    const [id] = positionals as [string]
    if (!/^(pay|cs)_[0-9a-f]{24}$/.test(id)) {
      throw new UsageError('PAYMENT_ID must be the id of a payment (pay_…) or of a session (cs_…)')
    }
    const life = await withCommandContext(async (context) => {
      const key = await findLifeKey(context.sql, id, await merchantNamed(context.sql, merchant))
      if (!key) {
        const what = id.startsWith('cs_') ? 'session' : 'payment'
        throw new Refusal('resource_not_found', `There is no ${what} ${id}.`)
      }
      const { sql } = await inCell(context, key.merchant_id)
      return viewLife(await readLife(sql, key), context.clock.now())
    })
    if (json) printJson(life)
    else printForPeople(life)
    return life.seals.wrong === 0 ? 0 : 1
  },
})

type LifeOutput = ReturnType<typeof viewLife>

function printForPeople({ session, payments, lines, events, seals, ...key }: LifeOutput): void {
  print(
    {
      merchant_id: key.merchant_id,
      session_id: key.session_id,
      session: [session.status, session.settlement, session.mode, money(session)].filter(Boolean),
    },
    false,
  )
  for (const payment of payments) {
    printLine(paymentWords(payment))
    for (const refund of payment.refunds) printLine(refundWords(refund))
  }
  printLine('')
  // `#` numbers the lines of the journal; rows of events and deliveries have no number.
  printTable(['#', 'time', 'what', 'who', 'request', ''], lifeRows(lines, events))
  printLine(`\n${sealWords(seals)}`)
}

function paymentWords(payment: LifeOutput['payments'][number]): string {
  const { payment_id, attempt_number, status, decline, hold } = payment
  const parts = [
    `${status} ${partWords(payment)}`,
    `attempt ${attempt_number}`,
    ...(decline ? [decline.code] : []),
    ...(hold ? [`hold ${hold.status}${hold.decided_by ? ` by ${hold.decided_by}` : ''}`] : []),
    ...(hold && !hold.decided_at ? [`deadline ${hold.deadline}`] : []),
  ]
  return `${payment_id}  ${parts.join(', ')}`
}

/** An amount, of which less may have been captured. */
function partWords(payment: { amount: number; captured_amount?: unknown; currency: string }): string {
  const { captured_amount: amount, currency } = payment
  return typeof amount === 'number' ? `${money({ amount, currency })} of ${money(payment)}` : money(payment)
}

function refundWords(refund: LifeOutput['payments'][number]['refunds'][number]): string {
  const { id, status, failure } = refund
  return `${id}  ${[`refund ${status} ${money(refund)}`, ...(failure ? [failure.code] : [])].join(', ')}`
}

function sealWords({ right, wrong, not_yet }: LifeOutput['seals']): string {
  const all = right + wrong + not_yet
  if (wrong > 0) {
    return `Something is wrong: ${wrong} of the ${all} numbered lines do not match their hashes. ripper audit verify says more.`
  }
  if (not_yet > 0) {
    return `${not_yet} of the ${all} numbered lines are not sealed yet. The service seals lines some seconds after it writes them.`
  }
  return `All ${all} numbered lines are sealed and match their hashes.`
}

type LineView = LifeOutput['lines'][number]
type EventView = LifeOutput['events'][number]
type DeliveryView = EventView['deliveries'][number]
type Row = { at: string; cells: string[] }

/** Everything that happened, oldest first. What is still to come has the time when it is due. */
function lifeRows(lines: LineView[], events: EventView[]): string[][] {
  const rows = [
    ...lines.map((line) => ({ ...lineRow(line), is_line: true })),
    ...events.flatMap(eventRows).map((row) => ({ ...row, is_line: false })),
  ]
  let count = 0
  // Rows of the same time keep their order: a line, its event, then the event's deliveries.
  return rows
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ at, cells, is_line }) => [is_line ? String(++count) : '', shortTime(at), ...cells])
}

function lineRow({ at, change, subject, actor, request_id, detail }: LineView): Row {
  const words = [subject, ...detailWords(detail)].join(', ')
  return rowOf(at, [plain(change), actor, request_id, shortIds(words)])
}

function eventRows({ event_id, type, sequence, created_at, deliveries }: EventView): Row[] {
  const words = `${shortIds(event_id)}, sequence ${sequence}`
  const event = rowOf(created_at, [`event ${plain(type)}`, 'service', null, words])
  return [event, ...deliveries.flatMap(deliveryRows)]
}

const attemptWords: Record<string, string> = {
  succeeded: 'webhook delivered',
  failed: 'webhook failed',
  dead_lettered: 'webhook given up',
  pending: 'webhook to be replayed',
}

function deliveryRows({ endpoint_id, endpoint_url, ...delivery }: DeliveryView): Row[] {
  const kind = delivery.replay_of === null ? 'attempt' : 'replay, attempt'
  const rows: Row[] = delivery.attempts.map((attempt) => {
    const { occurred_at, status, attempt_number, endpoint_url: sent_to } = attempt
    const words = `${answerOf(attempt)}, ${kind} ${attempt_number}, ${sent_to ?? endpoint_url}`
    const what = attemptWords[status] ?? plain(status)
    return rowOf(occurred_at, [what, endpoint_id, null, words])
  })
  const { next_attempt_at } = delivery
  if (next_attempt_at === null) return rows
  return [...rows, rowOf(next_attempt_at, ['webhook due', endpoint_id, null, endpoint_url])]
}

/** Each member with its value; an amount with its currency. Leaves out null, and values that only machines compare. */
function detailWords({ event_sha256: _, ...detail }: Record<string, unknown>): string[] {
  const { amount, captured_amount, currency, ...rest } = detail
  const is_money = typeof amount === 'number' && typeof currency === 'string'
  const others = is_money ? rest : detail
  return [
    ...(is_money ? [partWords({ amount, captured_amount, currency })] : []),
    ...Object.entries(others)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${names[name] ?? plain(name.replace(/_id$/, ''))} ${wordsOf(value)}`),
  ]
}

const names: Record<string, string> = { three_ds_state: '3-D Secure', amount_verification_source: 'amount check' }

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(' and ') || 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `payment.captured`, `sent_again` as words. */
function plain(code: string): string {
  return code.replace(/[._]/g, ' ')
}

const words_max = 300

/** The request id stays whole, because people search logs for it. */
function rowOf(at: string, [what, who, request_id, words]: [string, string, string | null, string]): Row {
  return { at, cells: [what, shortIds(who), request_id ?? '–', oneLine(words, words_max)] }
}

/** The beginning of an id distinguishes it from others; if it begins with a time, its end does. */
function shortIds(text: string): string {
  return text.replace(/\b([a-z_]+_[0-9a-f]{8})[0-9a-f]{16,}\b/g, '$1…').replace(/\b[0-9a-f]{24}([0-9a-f]{8})\b/g, '…$1')
}
