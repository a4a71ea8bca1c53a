// What the address of a PostgreSQL server says of TLS, in the words of its own clients.
//
// The driver alone would compare the certificate of a server named by its IP address with `localhost`, take any other word
// for a mode, and pass on to the server, as a setting, what it does not know.

import { readFileSync } from 'node:fs'
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls'

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** PEM files: the root that must have signed the server's certificate, and a certificate of our own. */
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

/** As the driver takes it: false for none, `prefer` where the server decides. */
export type Tls = false | 'prefer' | ConnectionOptions

/**
 * The address without what it says of TLS, and that. Throws an Error with a message that begins where the name of the
 * address would stand, and tells no more of it than the names of files.
 */
export function readDatabaseAddress(address: string): { address: string; tls: Tls } {
  const query = queryOf(address)
  const told = new URLSearchParams(query)
  for (const name of ['sslmode', 'channel_binding', ...Object.keys(files)]) query.delete(name)
  const [bare] = address.split('?', 1)
  return {
    address: query.size === 0 ? bare! : `${bare}?${query}`,
    tls: settingsOf(modeOf(told), told, hostsOf(address)),
  }
}

function modeOf(query: URLSearchParams): Mode {
  if (query.has('ssl')) throw new Error('must say sslmode instead of ssl.')
  if (query.get('channel_binding') === 'require') {
    throw new Error(
      'must not require channel_binding, which is not supported; sslmode=verify-full is.',
    )
  }
  const told = query.get('sslmode')
  // Whoever names a root wants the server verified.
  if (told === null) return query.has('sslrootcert') ? 'verify-full' : 'disable'
  const mode = modes.find((each) => each === told)
  if (!mode) throw new Error(`must have one of ${modes.join(', ')} as sslmode.`)
  return mode === 'require' && query.has('sslrootcert') ? 'verify-ca' : mode
}

function settingsOf(mode: Mode, query: URLSearchParams, hosts: string[]): Tls {
  if (mode === 'disable') return false
  if (mode === 'prefer') return 'prefer'
  const settings: ConnectionOptions = { rejectUnauthorized: mode !== 'require' }
  for (const [name, member] of Object.entries(files)) {
    const path = query.get(name)
    // `system` is what Node trusts by itself.
    if (path !== null && path !== 'system') settings[member] = read(name, path)
  }
  settings.checkServerIdentity = (_, certificate) =>
    mode === 'verify-full' ? strangerOf(hosts, certificate) : undefined
  return settings
}

/** Of several servers any may answer. Returns why it is none of them. */
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

/** `user:password@one:5432,[::2]/name` has two. */
function hostsOf(address: string): string[] {
  const [authority] = address.replace(/^[a-z]+:\/\//, '').split(/[/?]/, 1)
  const hosts = authority!.slice(authority!.lastIndexOf('@') + 1).split(',')
  return hosts.map((host) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'))
}
