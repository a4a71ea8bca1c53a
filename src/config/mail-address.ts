// Reads mail addresses: a server's, such as smtps://user:password@mail.example, and a sender's.

import { isIP } from 'node:net'

/**
 * `tls`: `at_once` from the first byte (smtps); `starttls` required before anything else (smtp); `none` for smtp to
 * this machine itself.
 */
export type SmtpAddress = {
  host: string
  port: number
  tls: 'at_once' | 'starttls' | 'none'
  login: { user: string; password: string } | null
}

/** The address, or what it must be instead, in words that follow the name of a setting. */
export function readSmtpAddress(text: string): SmtpAddress | string {
  const url = URL.canParse(text) ? new URL(text) : null
  const secure = url?.protocol === 'smtps:'
  if (!url || (!secure && url.protocol !== 'smtp:') || !url.hostname || hasMore(url)) {
    return 'must be an address such as smtp://user:password@host:587 or smtps://user:password@host.'
  }
  if ((url.username === '') !== (url.password === '')) {
    return 'must name both a user and a password, or neither.'
  }
  const login = url.username === '' ? null : readLogin(url)
  if (login === undefined) {
    return 'must have a user and a password whose signs such as @, : and % are written as %40, %3A and %25.'
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port)
  if (port === 0) return 'must name a port from 1 to 65535.'
  return { host, port, login, tls: secure ? 'at_once' : isLoopback(host) ? 'none' : 'starttls' }
}

/** Whether a text is an address that mail may come from, without a display name. */
export function isSender(text: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]+(\.[a-z\d-]+)*$/i.test(text)
}

function hasMore({ pathname, search, hash }: URL): boolean {
  return !/^\/?$/.test(pathname) || search !== '' || hash !== ''
}

/** Undefined if it is not percent-encoded correctly. */
function readLogin({ username, password }: URL): SmtpAddress['login'] | undefined {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined
  }
}

/** Only names and addresses that always mean this machine: any other name may be pointed elsewhere. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
