// What the errors of the driver and of PostgreSQL mean for a failed statement.

/** The connection broke. A statement that was running, above all COMMIT, may or may not have taken effect. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (lossCodes.has(code) || /^08/.test(code))
}

/** A lock was not free within the connection's lock_timeout. The whole transaction was rolled back. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/** A unique key was taken. A shard's constraint has the name of its table's, with `_` and digits added. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== '23505') return false
  if (constraint === undefined) return true
  const name = (error as { constraint?: unknown }).constraint
  if (typeof name !== 'string') return false
  return name === constraint || name.replace(/_\d+$/, '') === constraint
}

/** Two transactions conflicted. Nothing was committed, and the same transaction may succeed now. */
export function isRetriable(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/**
 * The store cannot be used now (connection lost, unreachable, full, read-only, too slow): a 503, to repeat with the same key.
 */
export function isStoreUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return false
  if (isConnectionLost(error) || unavailable.has(code) || /^(53|28)/.test(code)) return true
  return connectionFault(error) === 'tls'
}

/**
 * `tls`: no secure connection could be made. `address`: the server does not know the host, database, user or password.
 * `silence`: it took the connection, and answered nothing over it.
 */
export type ConnectionFault = 'tls' | 'address' | 'silence'

/** The fault that prevents a connection until a person corrects the address; null for any other error. */
export function connectionFault(error: unknown): ConnectionFault | null {
  const code = codeOf(error) ?? ''
  if (code === 'MUTE') return 'silence'
  if (/^(ERR_(TLS|SSL)|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)) return 'tls'
  return unknownThere.has(code) || code.startsWith('28') ? 'address' : null
}

const unknownThere = new Set(['ENOTFOUND', 'EAI_AGAIN', '3D000'])

const lossCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'MUTE', // the server never answered over this connection
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01', // the server is shutting down
  '57P02', // another backend crashed
  '57P05', // idle for too long
  '25P03', // idle in a transaction for too long
])

const unavailable = new Set([
  'CONNECTION_ENDED', // our own pool is closing
  'CELL_MOVED', // see cells.ts
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOENT', // no socket file
  'EACCES',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  '57P03', // starting, recovering or stopping
  '57P04', // the database was dropped
  '57014', // a statement ran into statement_timeout
  '25006', // read-only: a primary that was replaced
  '3D000', // no such database
  '58030', // input or output error
])

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  // A host with several addresses fails with one error that contains one error for each address.
  if (code === undefined && Array.isArray(errors)) return codeOf(errors[0])
  return typeof code === 'string' ? code : undefined
}
