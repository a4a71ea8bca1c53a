// What a tab remembers of its payments, so that a reload or the back button goes on with the same one.

import { type Purchase, queryOf } from './link.ts'

/** `client_secret` is null until the service has answered. With the key a new request gets the same session. */
export type StoredAttempt = { idempotency_key: string; client_secret: string | null }

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>

export type StoredPayments = {
  read(key: string): StoredAttempt | null
  write(key: string, kept: StoredAttempt): void
  forget(key: string): void
  /** By it the page of a Checkout Session asks for its sessions. */
  readPageToken(key: string): string | null
  writePageToken(key: string, page_token: string): void
}

/** The same purchase at the same shop is one payment, however its link is spelled and in any language. */
export function keyOfPurchase(handle: string, purchase: Purchase): string {
  return `ripper:${handle}${queryOf(purchase)}`
}

export function keyOfSession(handle: string, session_id: string): string {
  return `ripper:${handle}#${session_id}`
}

/** `open` returns the tab's storage. It throws if the browser allows none, and then nothing outlives the page. */
export function keptPayments(open: () => Storage): StoredPayments {
  const storage = usable(open) ?? memory()
  const write = (key: string, record: object) => {
    try {
      storage.setItem(key, JSON.stringify(record))
    } catch {
      // If the storage is full, the shopper only gets a new session after a reload.
    }
  }
  return {
    read: (key) => attemptOf(parse(storage.getItem(key))),
    write,
    forget: (key) => storage.removeItem(key),
    readPageToken: (key) => textOrNull(parse(storage.getItem(key)).page_token),
    writePageToken: (key, page_token) => write(key, { page_token }),
  }
}

function usable(open: () => Storage): Storage | null {
  try {
    const storage = open()
    storage.getItem('ripper')
    return storage
  } catch {
    return null
  }
}

function memory(): Storage {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

/** Without members if it is not a record of ours. */
function parse(text: string | null): Record<string, unknown> {
  try {
    return { ...JSON.parse(text ?? '{}') }
  } catch {
    return {}
  }
}

function attemptOf({ idempotency_key, client_secret }: Record<string, unknown>): StoredAttempt | null {
  return typeof idempotency_key === 'string' ? { idempotency_key, client_secret: textOrNull(client_secret) } : null
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
