// Checks the running service, whether it answers, is ready, has this release and the right time; and the mail server
// for receipts.

import type { MailConfig } from '../../config/config.ts'
import { clock_skew_max_ms, skewWords } from '../../database/clock/clock-skew.ts'
import { connectionFault } from '../../database/failures.ts'
import { openApiDocument } from '../../documents/openapi/openapi.ts'
import { OutgoingFailure, type TextAnswer } from '../../kernel/world.ts'
import { openMailer } from '../../outgoing/mail/smtp.ts'
import { openHttp, realClock } from '../../outgoing/real-world.ts'
import { events, routes, streams } from '../../routes.ts'
import { type Check, notChecked, ok, problem, warning } from './finding.ts'

/** The answers of the service at an address; each is null if there was none. */
export type ServiceFacts = {
  base_url: string
  health_status: number | null
  /** Why there was no answer: an error's code, or words; null where there was one. */
  health_failure: string | null
  /** Whether the service itself looks, at its own address. */
  is_itself: boolean
  ready_status: number | null
  /** Why the service is not ready, in its own words; null if it gives no reason. */
  ready_fault: string | null
  /** Whether its description of the API is the same as this program's. */
  is_same_release: boolean | null
  /** By how much its clock is ahead of this machine's, from its `Date` header, which has whole seconds. */
  clock_ahead_ms: number | null
}

/** A `Date` header may be a second old. */
const header_error_ms = 1_000

function unreachedAdvice(failure: string, is_itself: boolean): string {
  const fault = connectionFault({ code: failure })
  if (fault === 'tls') {
    return `This program does not accept the certificate there: name the file of its root in NODE_EXTRA_CA_CERTS${orElse(is_itself)}.`
  }
  if (fault === 'address') {
    return `This machine does not find the address of that name: correct DNS or RIPPER_BASE_URL${orElse(is_itself)}.`
  }
  if (is_itself) {
    return 'The service runs, but does not reach itself there. If shoppers do, nothing is wrong with it; else look at the proxy and RIPPER_BASE_URL.'
  }
  if (failure === 'ECONNREFUSED') {
    return 'Start it with npm start or ripper serve. If it runs elsewhere, set RIPPER_BASE_URL or --base-url.'
  }
  return 'Look at the proxy and the way there. If the service runs elsewhere, set RIPPER_BASE_URL or --base-url.'
}

/** A command may look past the proxy. */
function orElse(is_itself: boolean): string {
  return is_itself ? '' : ', or look at the service itself by --base-url http://127.0.0.1:8080'
}

export const serviceChecks: Check<ServiceFacts>[] = [
  {
    name: 'Service',
    judge({ base_url, health_status, health_failure, is_itself }) {
      if (health_status === 200) return ok(`runs at ${base_url}`)
      if (health_status === null) {
        const failure = health_failure ?? 'no answer in time'
        return problem(`${base_url} cannot be reached (${failure})`, unreachedAdvice(failure, is_itself))
      }
      return problem(
        `${base_url}/healthz answers ${health_status}`,
        'Another program listens there, or a proxy in front cannot reach the service.',
      )
    },
  },
  {
    name: 'Readiness',
    judge({ health_status, ready_status, ready_fault }) {
      if (health_status !== 200) return notChecked('the service does not answer')
      if (ready_status === 200) return ok('it takes requests')
      if (ready_fault !== null) {
        return problem(
          `/readyz answers ${ready_status}: ${ready_fault}`,
          'Correct that. Unless it says to restart, the service then goes on by itself.',
        )
      }
      return problem(
        `/readyz answers ${ready_status ?? 'nothing'}`,
        'It is stopping, or cannot reach its database. Its log says which.',
      )
    },
  },
  {
    name: 'Release',
    judge({ health_status, is_same_release }) {
      if (health_status !== 200) return notChecked('the service does not answer')
      if (is_same_release === null) return notChecked('the service does not describe its API')
      if (is_same_release) return ok('the service describes the same API as this program')
      return warning(
        'the service describes another API than this program, so it has another release',
        'Restart it after an upgrade, or use the ripper command of its own release.',
      )
    },
  },
  {
    name: "Service's clock",
    judge({ health_status, clock_ahead_ms }) {
      if (health_status !== 200 || clock_ahead_ms === null) {
        return notChecked('the service does not answer')
      }
      if (Math.abs(clock_ahead_ms) <= clock_skew_max_ms + header_error_ms) return ok('agrees')
      return warning(
        `its machine's clock is ${skewWords(clock_ahead_ms)} this one's`,
        'Let both machines keep time by NTP: signatures and expiry depend on it.',
      )
    },
  },
]

const timeout_ms = 1_500
const description_bytes_max = 8 * 1024 * 1024

/** Asks the running service for the facts of its checks. */
export async function readService(base_url: string, is_itself = false): Promise<ServiceFacts> {
  const clock = realClock()
  const answer = await look(`${base_url}/healthz`)
  const health = 'status' in answer ? answer : null
  const heard_ms = clock.now().getTime()
  const up = health?.status === 200
  const [ready, description] = up
    ? await Promise.all([read(`${base_url}/readyz`), read(`${base_url}/openapi.json`)])
    : [null, null]
  const date_ms = Date.parse(health?.headers.date ?? '')
  return {
    base_url,
    health_status: health?.status ?? null,
    health_failure: 'failure' in answer ? answer.failure : null,
    is_itself,
    ready_status: ready?.status ?? null,
    ready_fault: ready && faultOf(ready),
    is_same_release: description && isOurs(description),
    clock_ahead_ms: Number.isNaN(date_ms) ? null : date_ms - heard_ms,
  }
}

function isOurs({ body }: TextAnswer): boolean {
  return body === JSON.stringify(openApiDocument(routes, events, streams), null, 2)
}

/** Takes only a line of plain text, because any program may listen there. */
function faultOf({ body }: TextAnswer): string | null {
  const [, fault] = /^not ready: ([\x20-\x7e]{1,300})\n$/.exec(body) ?? []
  return fault ?? null
}

/** Null if no answer came in time. */
async function read(url: string): Promise<TextAnswer | null> {
  const answer = await look(url)
  return 'status' in answer ? answer : null
}

async function look(url: string): Promise<TextAnswer | { failure: string }> {
  try {
    const http = openHttp(realClock())
    const limits = { timeout_ms, answer_bytes_max: description_bytes_max }
    return await http.get({ url, headers: {}, ...limits })
  } catch (error) {
    if (error instanceof OutgoingFailure) return { failure: error.message }
    throw error
  }
}

/** `server` is its host and port; null if none is set. `fault` is the reason why it would take no mail now, or null. */
type MailFacts = { server: string | null; fault: string | null; test_mode: boolean }

/** Checks the mail server for receipts. */
export const mailChecks: Check<MailFacts>[] = [
  {
    name: 'Mail server',
    judge({ server, fault, test_mode }) {
      if (server === null) return ok('none is set, so no receipts are sent')
      if (fault === null) return ok(`${server}; test payments ${test_mode ? 'have' : 'have no'} receipts`)
      return warning(
        `${server} cannot be used: ${fault}`,
        'Correct RIPPER_SMTP_URL, or the server. Receipts wait for a day; payments go on.',
      )
    },
  },
]

/** For the connection, and again for the login. */
const limit_ms = 1_200

/** Tries the mail server: connection, TLS and login, and nothing else. */
export async function readMail(mail: MailConfig | null): Promise<MailFacts> {
  if (mail === null) return { server: null, fault: null, test_mode: false }
  const { smtp, test_mode } = mail
  const limits = { connect_ms: limit_ms, silence_ms: limit_ms, whole_ms: limit_ms }
  const mailer = openMailer(smtp, realClock(), limits)
  const fault = await mailer.open().then(
    (line) => {
      line.close()
      return null
    },
    (error: Error) => error.message,
  )
  return { server: `${smtp.host}:${smtp.port}`, fault, test_mode }
}
