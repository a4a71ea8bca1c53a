// Writes a payment's life as rows for people: what happened, who did it, by which request, and details in words.

import { answerOf } from '../terminal/failure-words.ts'
import { money, oneLine, shortTime } from '../terminal/print.ts'

/** A line of the journal as it is shown. */
export type LineView = {
  at: string
  change: string
  subject: string
  actor: string
  request_id: string | null
  detail: Record<string, unknown>
}

export type EventWithDeliveries = {
  event_id: string
  type: string
  sequence: number
  created_at: string
  deliveries: DeliveryView[]
}

type DeliveryView = {
  endpoint_id: string
  endpoint_url: string
  replay_of: string | null
  next_attempt_at: string | null
  attempts: {
    occurred_at: string
    status: string
    attempt_number: number
    endpoint_url: string | null
    response_status_code: number | null
    failure: string | null
  }[]
}

/** `#` numbers the lines of the journal; rows of events and deliveries have no number. */
export const lifeHeadings = ['#', 'time', 'what', 'who', 'request', '']

type Row = { at: string; cells: string[] }

/** Everything that happened, oldest first. What is still to come has the time when it is due. */
export function lifeRows(lines: LineView[], events: EventWithDeliveries[]): string[][] {
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

function eventRows({ event_id, type, sequence, created_at, deliveries }: EventWithDeliveries): Row[] {
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
  const { amount, currency, ...rest } = detail
  const is_money = typeof amount === 'number' && typeof currency === 'string'
  const others = is_money ? rest : detail
  return [
    ...(is_money ? [money({ amount, currency })] : []),
    ...Object.entries(others)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${names[name] ?? plain(name.replace(/_id$/, ''))} ${told(value)}`),
  ]
}

const names: Record<string, string> = {
  three_ds_state: '3-D Secure',
  amount_verification_source: 'amount check',
}

function told(value: unknown): string {
  if (Array.isArray(value)) return value.map(told).join(' and ') || 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `payment.captured`, `sent_again` as words. */
function plain(code: string): string {
  return code.replace(/[._]/g, ' ')
}

const words_max = 300

/** The request id stays whole, because people search logs for it. */
function rowOf(at: string, [what, who, request_id, words]: [string, string, string | null, string]): Row {
  return {
    at,
    cells: [what, shortIds(who), request_id ?? '–', oneLine(words, words_max)],
  }
}

/** The beginning of an id distinguishes it from others; if it begins with a time, its end does. */
function shortIds(text: string): string {
  return text.replace(/\b([a-z_]+_[0-9a-f]{8})[0-9a-f]{16,}\b/g, '$1…').replace(/\b[0-9a-f]{24}([0-9a-f]{8})\b/g, '…$1')
}
