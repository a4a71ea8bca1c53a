// Translates failures of the machine and of undici into those of the port.

import { GuardedFailure, type GuardedFailureCode } from '../../kernel/world.ts'

export function lookupFailure(error: unknown): GuardedFailure {
  const code = codeOf(error)
  const unknown = code === 'ENOTFOUND' || code === 'ENODATA'
  return new GuardedFailure(unknown ? 'name_not_found' : 'name_lookup_failed', code)
}

const tcpCodes: Record<string, GuardedFailureCode> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  ETIMEDOUT: 'connect_timeout',
  EMFILE: 'no_socket',
  ENFILE: 'no_socket',
  ENOBUFS: 'no_socket',
  ENOMEM: 'no_socket',
}

export function tcpFailure(error: unknown): GuardedFailure {
  const code = codeOf(error)
  return new GuardedFailure(tcpCodes[code] ?? 'unreachable', code)
}

export function tlsFailure(error: unknown): GuardedFailure {
  const code = codeOf(error)
  const is_lost = code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT'
  return new GuardedFailure(is_lost ? 'connection_lost' : 'tls', code)
}

/** A failure of a request that was being sent, or of the connection it waited for. */
export function requestFailure(error: unknown): GuardedFailure {
  if (error instanceof GuardedFailure) return error
  const code = codeOf(error)
  // A receiver that demands a client certificate says so only once the connection stands.
  if (code.startsWith('ERR_SSL')) return new GuardedFailure('tls', code)
  return new GuardedFailure(isBadAnswer(error, code) ? 'bad_answer' : 'connection_lost', code)
}

function isBadAnswer(error: unknown, code: string): boolean {
  const { message } = error as Error
  if (code === 'UND_ERR_SOCKET') return message.startsWith('bad ')
  // The parser also reports an answer that was to close the connection and closed it too early.
  if (code === 'HTTPParserError') return !message.includes('EOF')
  return code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'ERR_ASSERTION'
}

/** undici's parser gives its errors no code. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string }
  return typeof code === 'string' ? code : name
}
