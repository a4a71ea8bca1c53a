// What must hold of every answer: its status, its shape, its id, that it came, and that it gives nothing away.

import { candidates } from '../../src/cards/card-data.ts'
import { sampleValues } from '../../src/documents/site/example-values.ts'
import { faultOf } from '../../tests/support/schema.ts'
import { marker_pattern } from './breaks.ts'
import type { Composed } from './compose.ts'
import { type Document, matching, type Operation } from './document.ts'
import { jsonOf } from './pool.ts'
import { type Answer, type Exchange, headerOf } from './wire.ts'

const in_time_ms = 10_000

/** What is wrong with what came back; empty where nothing is. */
export function faultsOf(
  { document, operations }: { document: Document; operations: Operation[] },
  composed: Composed,
  exchange: Exchange,
): string[] {
  const { ruined, plan, made } = composed
  const { answers, ended, took_ms } = exchange
  const faults: string[] = []
  const [first] = answers
  if (took_ms > in_time_ms) faults.push(`it took ${Math.round(took_ms)} ms`)
  if (!first) {
    if (ruined.expects !== 'perhaps_none') faults.push(`no answer: the connection is ${ended}`)
    return faults
  }
  for (const answer of answers) faults.push(...givenAway(composed, answer))
  if (first.status >= 500 && !isDownBank(first, made.method === 'HEAD')) faults.push(`a status of ${first.status}`)
  if (headerOf(first, 'rip-request-id') === null) faults.push('no Rip-Request-Id')
  if (ruined.expects === 'http') {
    return [...faults, ...brokenHttpFaults(first, made.method === 'HEAD')]
  }
  const path = made.target.split('?')[0]!
  const operation = plan.hazard && ruined.expects !== 'route' ? undefined : matching(operations, made.method, path)
  if (plan.path !== 'plain' || !operation || !isReadable(path)) return [...faults, ...elsewhereFaults(composed, first)]
  return [...faults, ...describedFaults(document, operation, first)]
}

/** The one failure that a card number of test mode, and a live account without a Directory Server, ask for. */
function isDownBank(answer: Answer, is_head: boolean): boolean {
  // Without a body it cannot say.
  return answer.status === 503 && (is_head || codeOf(answer) === 'three_ds_provider_unavailable')
}

/** The code of a refusal, in whatever family's shape. */
export function codeOf(answer: Answer): string | null {
  const body = jsonOf(answer)
  const error = body?.error
  if (typeof error === 'string') return error
  if (error !== null && typeof error === 'object') {
    return String((error as { ripper_code?: unknown }).ripper_code)
  }
  return typeof body?.code === 'string' ? body.code : null
}

function describedFaults(document: Document, operation: Operation, answer: Answer): string[] {
  const { status } = answer
  const schema = operation.responses.get(status)
  if (schema === undefined) return [`${status} ${codeOf(answer)} is not described`]
  if (schema === null) {
    const is_empty = answer.body.length === 0
    return is_empty || status === 429 || status === 200 ? [] : [`a body at ${status}, which has none`]
  }
  const body = jsonOf(answer)
  if (body === null) return [`the body at ${status} is no JSON object`]
  const fault = faultOf(schema, body, document)
  const own_id = 'request_id' in body && body.request_id !== headerOf(answer, 'rip-request-id')
  return [
    ...(fault ? [`${status}: ${fault}`] : []),
    ...(own_id ? ['request_id is not that of the header'] : []),
    ...(status >= 400 && headerOf(answer, 'cache-control') !== 'no-store' ? ['a refusal may be cached'] : []),
  ]
}

/** Where no described route is meant: a refusal in some family's shape, a preflight, or a page. */
function elsewhereFaults({ made, plan }: Composed, answer: Answer): string[] {
  const { status } = answer
  if (made.method === 'HEAD' || status < 400) return []
  // A page refuses with a page.
  if (!made.target.startsWith('/v1/') && headerOf(answer, 'content-type')?.startsWith('text/')) return []
  const body = jsonOf(answer)
  const members = Object.keys(body ?? {})
    .join()
    .replace(/,attempt,three_ds$/, '')
  const shapes = ['error,message,request_id', 'error,message,allowed', 'error,message', 'error', 'code']
  if (!shapes.includes(members)) return [`no family's refusal: ${members}`]
  const is_compatible = typeof body!.error === 'object'
  if (is_compatible !== /^\/v1\/(compat|payment_intents)/i.test(made.target) && made.target.startsWith('/v1/')) {
    const is_foreign = made.headers.some(([name]) => name === 'Authorization')
    if (!is_foreign && !plan.hazard && plainPath(made.target)) return [`the shape of another family: ${members}`]
  }
  return []
}

/** One that cannot be decoded, or has dots for a segment, is no route's, whatever it looks like. */
function isReadable(path: string): boolean {
  try {
    const segments = decodeURIComponent(path).split('/')
    return path !== '' && !segments.includes('.') && !segments.includes('..')
  } catch {
    return false
  }
}

const plainPath = (target: string) => /^\/[\w/-]*$/.test(target)

/** What HTTP's own parser refuses: in some family's shape, and nothing more is read from the connection. */
function brokenHttpFaults(answer: Answer, is_head: boolean): string[] {
  const is_refused = [400, 408, 413, 431].includes(answer.status) && headerOf(answer, 'connection') === 'close'
  if (is_refused && (is_head || codeOf(answer) === 'invalid_request')) return []
  return [`bytes that are not HTTP were taken: ${answer.status}`]
}

/** What a key, a secret or a card number looks like. */
const secrets = {
  secret_key: /rip_sk_[0-9a-f]{48}/,
  client_secret: /cs_[0-9a-f]{24}_secret_[0-9a-f]{64}/,
  signing_secret: /rip_whsec_[0-9a-f]{64}/,
}

function givenAway({ made, sent, operation }: Composed, answer: Answer): string[] {
  const said = headText(answer) + withoutSamples(answer.body.toString())
  const is_refusal = answer.status >= 400
  const faults: string[] = []
  if (secrets.secret_key.test(said)) faults.push('it says a secret key')
  const shown = operation.responses.get(answer.status)?.properties ?? {}
  if (!('client_secret' in shown) && secrets.client_secret.test(said)) faults.push('it says a client secret')
  if (!('signing_secret' in shown) && secrets.signing_secret.test(said)) faults.push('it says a signing secret')
  const is_card_route = made.target.includes('card_references')
  if (is_refusal || is_card_route) {
    const numbers = new Set(cardNumbersIn(sent))
    if (numbers.size > 0 && cardNumbersIn(said).some((number) => numbers.has(number))) {
      faults.push('it repeats a card number')
    }
  }
  if (is_refusal) {
    const repeated = answer.body
      .toString()
      .match(marker_pattern)
      ?.find((text) => sent.includes(text))
    if (repeated) faults.push(`it repeats a sent value, ${repeated}`)
  }
  return faults
}

/** The documentation's examples have secrets that nobody was given. */
function withoutSamples(text: string): string {
  const samples = [sampleValues.client_secret, sampleValues.signing_secret].flat() as string[]
  return samples.reduce((rest, sample) => rest.replaceAll(sample, ''), text)
}

function headText({ headers }: Answer): string {
  return headers.map(([name, value]) => `${name}: ${value}\n`).join('')
}

/** Every card number in a text, however it is written; the digits in ids of ours are none. */
export function cardNumbersIn(text: string): string[] {
  const without_ids = text.replace(/[0-9a-f]{24,}/g, 'id')
  if (!/\p{Nd}(?:[^\p{Nd}]{0,2}\p{Nd}){12}/u.test(without_ids)) return []
  return [...candidates(unescaped(without_ids))].filter((digits) => card_pattern.test(digits))
}

const card_pattern = /^[2-5]\d{14,15}$/

function unescaped(text: string): string {
  return text.replace(/%[0-9a-f]{2}(?:%[0-9a-f]{2})*/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** What lines of the log give away of what a request sent. */
export function logFaults(lines: string, { sent }: Composed): string[] {
  const faults = Object.entries(secrets)
    .filter(([, pattern]) => pattern.test(lines))
    .map(([name]) => `the log says a ${name}`)
  const numbers = new Set(cardNumbersIn(sent))
  const told = numbers.size > 0 && cardNumbersIn(lines).some((number) => numbers.has(number))
  const marked = lines.match(marker_pattern)?.some((text) => sent.includes(text))
  return [
    ...faults,
    ...(told ? ['the log repeats a card number'] : []),
    ...(marked ? ['the log repeats a sent value'] : []),
  ]
}
