// What a tab remembers of its payments, so that a reload or the back button goes on with the same one.

import { type Purchase, queryOf } from './link.ts'

/** `client_secret` is null until the service has answered. With the key a new request gets the same session. */
export type StoredAttempt = { idempotency_key: string; client_secret: string | null }

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>

export type StoredPayments = {
  read(key: string): StoredAttempt | null
  write(key: string, kept: StoredAttempt): void
  forget(key: string): void
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
  return {
    read: (key) => parse(storage.getItem(key)),
    write: (key, kept) => {
      try {
        storage.setItem(key, JSON.stringify(kept))
      } catch {
        // If the storage is full, the shopper only gets a new session after a reload.
      }
    },
    forget: (key) => storage.removeItem(key),
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

/** Null if it is not a record of ours. */
function parse(text: string | null): StoredAttempt | null {
  if (text === null) return null
  try {
    const { idempotency_key, client_secret } = JSON.parse(text) as Partial<StoredAttempt>
    if (typeof idempotency_key !== 'string') return null
    const secret = typeof client_secret === 'string' ? client_secret : null
    return { idempotency_key, client_secret: secret }
  } catch {
    return null
  }
}
