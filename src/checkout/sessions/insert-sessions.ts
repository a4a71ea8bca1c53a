// Inserts new sessions in batches: if several arrive together, they share one statement and one commit. While one batch is
// being committed the next one gathers, so a session that arrives alone is inserted at once.

import { isConnectionLost } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
import { KeyTakenError } from '../../http/idempotency.ts'
import type { InsertSession } from '../context.ts'
import { insertSession, insertSessions, type KeyedSession } from './session-store.ts'

type QueuedSession = KeyedSession & { resolve: () => void; reject: (error: unknown) => void }

/** Two at once, so that a batch that waits for a lock does not hold up all others. */
const batches_at_once = 2
const batch_rows_max = 50

export function openSessionInserts(sql: Sql): InsertSession {
  // A transaction never touches two merchants, so each merchant has its own queue.
  const queues = new Map<string, { waiting: QueuedSession[]; running: number }>()

  function queueOf(merchant_id: string) {
    const known = queues.get(merchant_id)
    if (known) return known
    const queue = { waiting: [], running: 0 }
    queues.set(merchant_id, queue)
    return queue
  }

  async function run(merchant_id: string): Promise<void> {
    const queue = queueOf(merchant_id)
    if (queue.running >= batches_at_once || queue.waiting.length === 0) return
    queue.running++
    const batch = takeBatch(queue.waiting)
    await insertBatch(sql, batch)
    queue.running--
    if (queue.waiting.length > 0) void run(merchant_id)
    else if (queue.running === 0) queues.delete(merchant_id)
  }

  return ({ key, ...written }) => {
    // Few requests have no key, so batches do not support them.
    if (key === null) return insertSession(sql, { key, ...written })
    return new Promise((resolve, reject) => {
      const { merchant_id } = written.session
      queueOf(merchant_id).waiting.push({ key, ...written, resolve, reject })
      void run(merchant_id)
    })
  }
}

/** The first waiting sessions, each key once: the statement could not tell apart two rows with one key. */
function takeBatch(waiting: QueuedSession[]): QueuedSession[] {
  const names = new Set<string>()
  const batch: QueuedSession[] = []
  for (let index = 0; index < waiting.length && batch.length < batch_rows_max; ) {
    const { audience, key } = waiting[index]!.key
    const name = JSON.stringify([audience, key])
    if (names.has(name)) {
      index++
      continue
    }
    names.add(name)
    batch.push(...waiting.splice(index, 1))
  }
  return batch
}

/** Settles every row of a batch; never throws. */
async function insertBatch(sql: Sql, batch: QueuedSession[]): Promise<void> {
  if (batch.length === 1) return insertAlone(sql, batch[0]!)
  try {
    const written = await insertSessions(sql, batch)
    for (const row of batch) {
      if (written.has(row.session.session_id)) row.resolve()
      else row.reject(new KeyTakenError())
    }
  } catch (error) {
    // Nobody knows whether the batch was committed. Each request finds out by its key.
    if (isConnectionLost(error)) for (const row of batch) row.reject(error)
    // Nothing was written. A problem of one row, such as a lock, must not become the others' problem.
    else await Promise.all(batch.map((row) => insertAlone(sql, row)))
  }
}

async function insertAlone(sql: Sql, row: QueuedSession): Promise<void> {
  try {
    await insertSession(sql, row)
    row.resolve()
  } catch (error) {
    row.reject(error)
  }
}
