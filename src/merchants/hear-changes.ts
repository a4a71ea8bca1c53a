// Hears of changes to accounts, keys, integrations and connections, so that what a process keeps of them is read anew at once.

import type { Database } from '../database/open.ts'
import { settings_channel } from './store.ts'

export type Changes = {
  /** Calls the listener after each change, and whenever one may have been missed. */
  whenChanged(listener: () => void): void
  close(): Promise<void>
}

export async function hearChanges({ listen }: Pick<Database, 'listen'>): Promise<Changes> {
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  // The channel is opened again after a loss, and announcements in between were missed.
  const close = await listen(settings_channel, { heard: changed, opened: changed })
  return {
    whenChanged(listener) {
      listeners.add(listener)
    },
    close,
  }
}
