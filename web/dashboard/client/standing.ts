// Whether the person is signed in, locked or asked for proof: what every answer may change, and the frame shows.

import { newStore } from '../store.ts'

export type Standing = 'unknown' | 'signed_out' | 'locked' | 'signed_in'

export const standingStore = newStore<Standing>('unknown')

/** What a locked session is opened by. */
export const lockStore = newStore<string[]>(['passkey', 'one_time_code'])

/** A proof that some request waits for; null where none does. */
type AskedProof = { accepted: string[]; end(is_given: boolean): void }

export const proofStore = newStore<AskedProof | null>(null)

/** Asks the person. False where they turn away. Requests that come meanwhile wait for the same answer. */
export function askForProof(accepted: string[]): Promise<boolean> {
  const before = proofStore.read()
  return new Promise((resolve) => {
    proofStore.write({
      accepted,
      end(is_given) {
        before?.end(is_given)
        if (!before) proofStore.write(null)
        resolve(is_given)
      },
    })
  })
}

/** Resolves when the session is no longer locked. */
export function unlocked(): Promise<void> {
  return new Promise((resolve) => {
    const stop = standingStore.follow(() => {
      if (standingStore.read() === 'locked') return
      stop()
      resolve()
    })
  })
}
