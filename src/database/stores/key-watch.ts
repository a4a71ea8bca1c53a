// Notices that another process has made a master key current that this one lacks. This process can then judge neither
// client secrets nor repeated requests, and cannot open newly sealed data.

import type { Keyring } from '../../kernel/keyring.ts'
import type { Log } from '../../kernel/world.ts'
import { type ClockTrust, openTrust } from '../clock/clock-trust.ts'
import type { Sql } from '../open.ts'
import { newestSealingKey } from './sealing-keys.ts'

export type KeyWatch = {
  /** Why this process cannot judge everything, in words for people; null while it has the current key. */
  fault(): string | null
  /** The current key's id, while this process lacks it. */
  missing(): string | null
  /** Notes the current key's id; null if nothing was ever sealed. */
  note(current_key_id: string | null): void
  /** Reads which key is current now. */
  look(): Promise<void>
  /** The same trust, withdrawn while the key is missing: no job and no delivery begins. */
  within(trust: ClockTrust): ClockTrust
}

export function openKeyWatch({
  sql,
  keyring,
  log,
}: {
  sql: Sql
  keyring: Pick<Keyring, 'key_ids'>
  log: Pick<Log, 'info' | 'error'>
}): KeyWatch {
  const trust = openTrust()
  trust.give()
  let missing: string | null = null
  let look: Promise<void> | null = null

  function note(current_key_id: string | null): void {
    const lacks = current_key_id !== null && !keyring.key_ids.includes(current_key_id)
    const before = missing
    missing = lacks ? current_key_id : null
    if (missing === before) return
    if (missing === null) {
      log.info({}, 'this process has the current master key again')
      trust.give()
      return
    }
    log.error({ key_id: missing }, 'this process lacks the current master key')
    trust.withdraw()
  }

  return {
    fault() {
      if (missing === null) return null
      return `this process lacks the master key ${missing}, which another one has made current. Give it the same keys, and restart it`
    },
    missing: () => missing,
    note,
    look() {
      look ??= newestSealingKey(sql)
        .then(note)
        .finally(() => {
          look = null
        })
      return look
    },
    within: (clock) => ({
      isRight: () => missing === null && clock.isRight(),
      async untilRight(stopping) {
        const trustSignal = await trust.untilGiven(stopping)
        return AbortSignal.any([trustSignal, await clock.untilRight(stopping)])
      },
    }),
  }
}
