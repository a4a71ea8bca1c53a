// How many connections fit into the number of files that this process may open.

import { readFileSync } from 'node:fs'
import type { Log } from '../kernel/world.ts'

/** For the database, webhooks and acquirers, and for the files of the process. */
const kept_for_others = 1_024

/** The connections that callers may have at once. Logs if they are fewer than configured. */
export function connectionsMax(connection_limit: number | undefined, log: Log): number {
  const open_files_max = readOpenFilesMax()
  const connections_max = connectionsThatFit(connection_limit ?? Infinity, open_files_max)
  if (connection_limit !== undefined && connections_max < connection_limit) {
    const fields = { connection_limit, connections_max, open_files_max }
    log.warn(fields, 'fewer connections than asked for: raise the number of open files')
  }
  return connections_max
}

/** `connections_asked`, or fewer if the process may not open that many files. */
export function connectionsThatFit(connections_asked: number, open_files_max: number): number {
  const reserve = Math.min(kept_for_others, Math.floor(open_files_max / 2))
  return Math.min(connections_asked, open_files_max - reserve)
}

/** Infinite if the machine does not say. Node has raised the process's soft limit to its hard limit. */
export function readOpenFilesMax(limits_path = '/proc/self/limits'): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(limits_path, 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
