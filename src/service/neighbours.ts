// Tells the other processes of a database at once what this one has committed, so that they need not wait for their
// next poll. It may lose messages, because the poll finds everything. Without other processes nothing is sent.

import type { Database } from '../database/open.ts'
import type { World } from '../kernel/world.ts'
import type { TailMessage } from './request-listeners.ts'

export type Committed = {
  /** The merchants of the events; null if there were too many to name. */
  merchant_ids: string[] | null
  /** Whether the process that committed leaves the delivery to others. */
  is_undelivered: boolean
}

export type Neighbours = {
  /** Call it after each commit of an event. It never fails, and the caller need not wait. */
  tell(merchant_id: string): void
  /** Sends a message about requests. It never fails. */
  say(message: TailMessage): Promise<void>
  stop(): Promise<void>
}

const channel = 'ripper_committed'
/** Commits within this time share a message. */
const rest_ms = 5
/** A message has at most 8,000 bytes, and a merchant's id 26. */
const named_max = 200

type NeighbourMessage = { from: string } & (({ kind: 'committed' } & Committed) | TailMessage)

/** The sender of a message from a process that is ending. */
const ending = ''

export type NeighbourOptions = {
  database: Pick<Database, 'sql' | 'listen'>
  world: Pick<World, 'clock' | 'random' | 'log'>
  /** Whether this process delivers what it commits. */
  delivers: boolean
  /** Whether no other process gave a sign of life recently. */
  isAlone(): boolean
  heard(committed: Committed): void
  /** Called for messages about requests. Left out, they are ignored. */
  heardTail?(message: TailMessage): void
}

export async function openNeighbours(options: NeighbourOptions): Promise<Neighbours> {
  const { database, world, delivers, isAlone, heard } = options
  const { clock, log } = world
  const me = world.random.bytes(8).toString('hex')
  const stopping = new AbortController()
  let pending: Set<string> | 'many' = new Set()
  let sending: Promise<void> | null = null

  const say = (message: NeighbourMessage) =>
    tellNeighbours(database, message).catch((error: Error) => {
      log.debug({ error: error.message }, 'other processes not told')
    })

  function hear(payload: string): void {
    const message = messageOf(payload)
    if (message === null || message.from === me) return
    if (message.kind === 'committed') heard(message)
    else options.heardTail?.(message)
  }

  async function send(): Promise<void> {
    while (pending === 'many' || pending.size > 0) {
      const merchant_ids: string[] | null = pending === 'many' ? null : [...pending]
      pending = new Set()
      await say({ from: me, kind: 'committed', merchant_ids, is_undelivered: !delivers })
      await clock.sleep(rest_ms, stopping.signal).catch(() => {})
    }
    sending = null
  }

  const unlisten = await database.listen(channel, { heard: hear, opened() {} })
  return {
    tell(merchant_id) {
      if (stopping.signal.aborted || isAlone()) return
      if (pending !== 'many') pending.add(merchant_id)
      if (pending !== 'many' && pending.size > named_max) pending = 'many'
      sending ??= send()
    },
    say: (message) => say({ from: me, ...message }),
    async stop() {
      stopping.abort()
      await sending
      await unlisten()
    },
  }
}

/**
 * Says once, for a process that is ending, that these merchants have events to deliver. It is a separate statement:
 * commits that notify wait for each other, and commits of payments must not.
 */
export async function leaveToNeighbours(database: Pick<Database, 'sql'>, merchant_ids: string[]): Promise<void> {
  const message: Committed = {
    merchant_ids: merchant_ids.length > named_max ? null : merchant_ids,
    is_undelivered: true,
  }
  await tellNeighbours(database, { from: ending, kind: 'committed', ...message })
}

async function tellNeighbours({ sql }: Pick<Database, 'sql'>, message: NeighbourMessage): Promise<void> {
  await sql`select pg_notify(${channel}, ${JSON.stringify(message)})`
}

/** Null for a message that only another release knows. */
function messageOf(payload: string): NeighbourMessage | null {
  try {
    const message = JSON.parse(payload) as NeighbourMessage
    switch (message.kind) {
      case 'committed': {
        const { merchant_ids: ids } = message
        return ids === null || Array.isArray(ids) ? message : null
      }
      case 'tail':
        return typeof message.merchant_id === 'string' ? message : null
      case 'requests':
        return Array.isArray(message.requests) ? message : null
      default:
        return null
    }
  } catch {
    return null
  }
}
