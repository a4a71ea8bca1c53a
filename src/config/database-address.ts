// What the address of a PostgreSQL server says about TLS, in the words of PostgreSQL's own clients. Without this file,
// the driver would compare the certificate of a server named by its IP address with `localhost`, take any unknown word
// for a mode, send unknown parameters to the server as settings, and cut an IPv6 address at its first colon.

import { readFileSync } from 'node:fs'
import { type ConnectionOptions, checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls'

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** PEM files: the root that must have signed the server's certificate, and a client certificate. */
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

/** `ssl` in the form of the driver: false for none, `prefer` if the server decides. */
export type ServerAddress = {
  /** The address without its TLS parameters. */
  url: string
  /** Null if the URL names none. */
  servers: { host: string[]; port: number[] } | null
  ssl: false | 'prefer' | ConnectionOptions
}

/**
 * Throws an Error whose message follows the name of the setting. The message repeats only the names of files, which are
 * read now.
 */
export function readDatabaseAddress(address: string): ServerAddress {
  refuseUnreadable(address)
  const query = queryOf(address)
  const parameters = new URLSearchParams(query)
  for (const name of ['sslmode', 'channel_binding', ...Object.keys(files)]) query.delete(name)
  const [bare] = address.split('?', 1)
  const servers = serversOf(address)
  return {
    url: query.size === 0 ? bare! : `${bare}?${query}`,
    servers: servers.host.includes('') ? null : servers,
    ssl: settingsOf(modeOf(parameters), parameters, servers.host),
  }
}

/**
 * If the password contains a character that is special in addresses, a part of it would count as the server, which
 * messages then show.
 */
function refuseUnreadable(address: string): void {
  const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(address) ?? []
  const at = authority.lastIndexOf('@')
  const ports = authority
    .slice(at + 1)
    .split(',')
    .map((server) => /:([^:\]]*)$/.exec(server)?.[1])
  const is_readable =
    !/[#@]/.test(rest) &&
    ports.every((port) => port === undefined || /^\d{0,5}$/.test(port)) &&
    isDecodable(authority.slice(0, Math.max(0, at))) &&
    isDecodable(rest)
  if (is_readable) return
  throw new Error(
    'must be an address such as postgresql://user:password@host:5432/name, in which each / ? # % of user and password is written as %2F %3F %23 %25.',
  )
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function modeOf(query: URLSearchParams): Mode {
  if (query.has('ssl')) throw new Error('must say sslmode instead of ssl.')
  if (query.get('channel_binding') === 'require') {
    throw new Error('must not require channel_binding, which is not supported; sslmode=verify-full is.')
  }
  const ssl_mode = query.get('sslmode')
  const root = query.get('sslrootcert')
  // A client that names a root wants the server verified.
  const mode = ssl_mode === null && root !== null ? 'verify-full' : (ssl_mode ?? 'disable')
  if (!isMode(mode)) throw new Error(`must have one of ${modes.join(', ')} as sslmode.`)
  const tls_parameter = [...Object.keys(files), 'sslnegotiation'].find((name) => query.has(name))
  if (tls_parameter !== undefined && (mode === 'disable' || mode === 'prefer')) {
    throw new Error(`must have sslmode=require or more beside ${tls_parameter}.`)
  }
  // Under roots that sign for everybody, a certificate proves nothing without its name.
  if (root === 'system' && mode !== 'verify-full') {
    throw new Error('must have sslmode=verify-full beside sslrootcert=system.')
  }
  if (mode === 'verify-ca' && root === null) {
    throw new Error('must name an sslrootcert beside sslmode=verify-ca.')
  }
  return mode === 'require' && root !== null ? 'verify-ca' : mode
}

function isMode(word: string): word is Mode {
  return modes.some((mode) => mode === word)
}

function settingsOf(mode: Mode, query: URLSearchParams, hosts: string[]): ServerAddress['ssl'] {
  if (mode === 'disable') return false
  if (mode === 'prefer') return 'prefer'
  const settings: ConnectionOptions = { rejectUnauthorized: mode !== 'require' }
  for (const [name, member] of Object.entries(files)) {
    const path = query.get(name)
    // `system` stands for the roots that Node trusts by default.
    if (path !== null && path !== 'system') settings[member] = read(name, path)
  }
  try {
    createSecureContext(settings)
  } catch (error) {
    throw new Error(`names certificates that cannot be used: ${(error as Error).message}`)
  }
  settings.checkServerIdentity = (_, certificate) =>
    mode === 'verify-full' ? strangerOf(hosts, certificate) : undefined
  return settings
}

/** Any of several servers may answer. Returns why the certificate matches none of them. */
function strangerOf(hosts: string[], certificate: PeerCertificate): Error | undefined {
  const faults = hosts.map((host) => checkServerIdentity(host, certificate))
  return faults.includes(undefined) ? undefined : faults[0]
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`names an ${name} that cannot be read: ${(error as Error).message}`)
  }
}

function queryOf(address: string): URLSearchParams {
  const at = address.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : address.slice(at + 1))
}

/** `user:password@one:5433,[::2]/name` has two. */
function serversOf(address: string): { host: string[]; port: number[] } {
  const [authority] = address.replace(/^[a-z]+:\/\//, '').split(/[/?]/, 1)
  const servers = authority!.slice(authority!.lastIndexOf('@') + 1).split(',')
  const port = /:(\d+)$/
  return {
    host: servers.map((each) => each.replace(port, '').replace(/^\[(.*)\]$/, '$1')),
    port: servers.map((each) => Number(port.exec(each)?.[1] ?? 5432)),
  }
}
