// The id of a process says where it runs, so that a person who reads of it finds it.

import type { Random } from '../../kernel/world.ts'

export type Place = { host: string; pid: number }

const separator = '/'

export function newProcessId({ host, pid }: Place, since: Date, random: Random): string {
  return [host, pid, since.toISOString(), random.bytes(12).toString('hex')].join(separator)
}

/** When the process began; null for one of an earlier release, whose id says nothing. */
export function sinceOf(process_id: string): Date | null {
  const since = process_id.split(separator)[2]
  return since === undefined ? null : new Date(since)
}

/** Such as `serve, pid 4711 on web1, since 2026-09-01 12:00 UTC`. */
export function processWords({ process_id, serves }: { process_id: string; serves: boolean }): string {
  const kind = serves ? 'serve' : 'worker'
  const [host, pid] = process_id.split(separator)
  const since = sinceOf(process_id)
  if (since === null) return `${kind} of an earlier release`
  return `${kind}, pid ${pid} on ${host}, since ${since.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
