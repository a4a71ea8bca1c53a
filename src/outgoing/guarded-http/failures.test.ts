import { expect, test } from 'vitest'
import { GuardedFailure } from '../../kernel/world.ts'
import { requestFailure, tcpFailure, tlsFailure } from './failures.ts'

const errorOf = (code: string) => Object.assign(new Error(code), { code })

test.each([
  [tcpFailure, 'ECONNREFUSED', 'connection_refused'],
  [tcpFailure, 'ECONNRESET', 'connection_lost'],
  [tcpFailure, 'ETIMEDOUT', 'connect_timeout'],
  [tcpFailure, 'EHOSTUNREACH', 'unreachable'],
  [tcpFailure, 'ENETUNREACH', 'unreachable'],
  [tcpFailure, 'EADDRNOTAVAIL', 'unreachable'],
  [tcpFailure, 'EMFILE', 'no_socket'],
  [tcpFailure, 'ENFILE', 'no_socket'],
  [tlsFailure, 'CERT_HAS_EXPIRED', 'tls'],
  [tlsFailure, 'ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  [tlsFailure, 'ECONNRESET', 'connection_lost'],
  [requestFailure, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls'],
  [requestFailure, 'EPIPE', 'connection_lost'],
  [requestFailure, 'UND_ERR_HEADERS_OVERFLOW', 'bad_answer'],
])('$1 is $2', (failureOf, code, expected) => {
  expect(failureOf(errorOf(code))).toMatchObject({ code: expected, detail: code })
})

test('a failure of the port stays what it is', () => {
  const failure = new GuardedFailure('blocked_address')
  expect(requestFailure(failure)).toBe(failure)
  expect(failure.message).toBe('blocked_address')
  expect(tcpFailure(errorOf('EMFILE')).message).toBe('no_socket (EMFILE)')
})
