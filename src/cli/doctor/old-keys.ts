// Checks the master keys that are given and not current any more: what still depends on each, and when it may go.

import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/open.ts'
import { listSealingKeys } from '../../database/stores/sealing-keys.ts'
import { keyringOf, listRunning } from './database.ts'
import { countOldPasswords, countSealedRows, rows_max, sealed_max } from './doctor-store.ts'
import { type Check, counted, named, ok, warning } from './finding.ts'

export type OldKeyFacts = {
  /** The key that was current last; null if nothing was ever sealed. */
  newest_key_id: string | null
  /** Given keys that sealed before. */
  old_keys: OldKey[]
  /**
   * Running processes that may have begun before the current key was made so, each in words: they may still seal with
   * another.
   */
  earlier: string[]
}

/** What depends on a master key that is not the current one any more. */
export type OldKey = { key_id: string; rows: { what: string; count: number }[]; passwords: number }

export const oldKeyChecks: Check<OldKeyFacts>[] = [
  {
    name: 'Old master keys',
    judge({ newest_key_id, old_keys, earlier }) {
      if (old_keys.length === 0) return ok('none is given')
      const is_cut = isCut(old_keys)
      const found = old_keys.map((each) => oldKeyWords(each, is_cut)).join('; ')
      const idle = old_keys.filter(({ rows }) => rows.length === 0)
      if (idle.length === 0 || is_cut) return ok(found)
      if (earlier.length > 0) {
        const to_do = 'Restart those. The old key may go when nothing is left that it has sealed.'
        return warning(`${found}; from before ${newest_key_id} sealed runs: ${named(earlier, '; ')}`, to_do)
      }
      const passwords = idle.reduce((sum, key) => sum + key.passwords, 0)
      const links =
        passwords > 0
          ? ` ${counted(passwords, 'person', 'people')} will need ripper user link to sign in by password again.`
          : ''
      const ids = idle.map(({ key_id }) => key_id).join(', ')
      return warning(found, `${ids} may go: take it out of RIPPER_MASTER_KEY everywhere, and restart.${links}`)
    },
  },
]

/** Whether so much is left that the rows of another key may lie behind those that were looked at. */
function isCut(old_keys: OldKey[]): boolean {
  const counts = old_keys.flatMap(({ rows }) => rows.map(({ count }) => count))
  return counts.reduce((sum, count) => sum + count, 0) >= sealed_max
}

function oldKeyWords({ key_id, rows }: OldKey, is_cut: boolean): string {
  if (rows.length === 0) return is_cut ? `${key_id}: not known yet` : `nothing is sealed with ${key_id} any more`
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const kinds = rows.map(({ what, count }) => `${what}: ${count}`).join(', ')
  const is_all = rows.every(({ count }) => count < sealed_max)
  return `${key_id}: ${is_all ? '' : 'at least '}${counted(total, 'row')} left (${kinds})`
}

/** Needs a database with every migration. While no old key is given, nothing is counted: it is much to read. */
export async function readOldKeys(config: Config, sql: Sql): Promise<OldKeyFacts> {
  const { keyring } = keyringOf(config)
  const [newest, ...older] = await listSealingKeys(sql, rows_max)
  const key_ids = older.flatMap(({ key_id }) => (keyring?.key_ids.includes(key_id) ? key_id : []))
  if (newest === undefined || key_ids.length === 0) {
    return { newest_key_id: newest?.key_id ?? null, old_keys: [], earlier: [] }
  }
  const earlier_ms = newest.made_current_at.getTime() - clocks_slack_ms
  const processes = await listRunning(sql)
  const passwords = await countOldPasswords(sql)
  const old_keys: OldKey[] = []
  for (const key_id of key_ids) {
    const rows = await countOldRows(sql, key_id)
    old_keys.push({ key_id, rows, passwords: passwords.find((each) => each.key_id === key_id)?.count ?? 0 })
  }
  // Nobody knows when a process of an earlier release began.
  const mayBeEarlier = (since: Date | null) => since === null || since.getTime() < earlier_ms
  const earlier = processes.flatMap(({ since, words }) => (mayBeEarlier(since) ? words : []))
  return { newest_key_id: newest.key_id, old_keys, earlier }
}

/** By how much the clocks of a process and of the database may differ. */
const clocks_slack_ms = 5_000

async function countOldRows(sql: Sql, key_id: string): Promise<OldKey['rows']> {
  const counts = new Map<string, number>()
  for (const { what, count } of await countSealedRows(sql, key_id)) counts.set(what, (counts.get(what) ?? 0) + count)
  return [...counts].map(([what, count]) => ({ what, count })).toSorted((a, b) => a.what.localeCompare(b.what))
}
