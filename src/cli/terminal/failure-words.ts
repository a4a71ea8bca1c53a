// Says in plain words why an attempt had no answer. The rows store a code, which the API does not show.

import type { GuardedFailureCode } from '../../kernel/world.ts'

const words: Record<GuardedFailureCode | 'internal' | 'lost', string> = {
  invalid_url: 'webhooks may not be posted to this URL',
  blocked_address: 'a private or local address that is in none of RIPPER_WEBHOOK_ALLOWED_NETWORKS',
  name_not_found: 'the host name has no address',
  name_lookup_failed: 'the host name could not be looked up',
  connection_refused: 'nothing listens there',
  unreachable: 'the network has no route to the address',
  no_socket: 'this machine had no free port or file for a connection',
  connect_timeout: 'no connection in time',
  tls: 'no secure connection: look at the certificate, its names, dates and issuer (NODE_EXTRA_CA_CERTS=FILE trusts another)',
  connection_lost: 'the connection ended before the answer did',
  bad_answer: 'the answer was not HTTP',
  timeout: 'no whole answer in time',
  internal: 'a fault of the service; its log says more',
  lost: 'the worker ended or stalled before it stored the answer',
}

/** The result of an attempt: a status, or the reason why there was none. */
export function answerOf({
  response_status_code: status,
  failure,
}: {
  response_status_code: number | null
  failure: string | null
}): string {
  if (status === null) return failure === null ? '–' : failureWords(failure)
  const target = redirectIn(failure)
  if (target !== null) return `HTTP ${status}: ${redirectWords(target)}`
  return `HTTP ${status}${status >= 300 && status <= 399 ? ' (redirects are not followed)' : ''}`
}

/** A failure's code with its meaning, or the status of the answer. */
export function failureWords(code: string): string {
  if (/^\d+$/.test(code)) return `HTTP ${code}`
  const target = redirectIn(code)
  if (target !== null) return redirectWords(target)
  return Object.hasOwn(words, code) ? `${code}: ${words[code as keyof typeof words]}` : code
}

function redirectIn(failure: string | null): string | null {
  return /^redirect (.+)$/.exec(failure ?? '')?.[1] ?? null
}

function redirectWords(target: string): string {
  return `redirects to ${target} are not followed; register that address`
}
