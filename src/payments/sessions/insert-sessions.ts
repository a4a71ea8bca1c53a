// Inserts new sessions in batches: if several arrive together, they share one statement and one commit. While one batch is
// being committed the next one gathers, so a session that arrives alone is inserted at once.

import { isConnectionLost } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
import { KeyTakenError } from '../../http/idempotency.ts'
import type { InsertSession } from '../context.ts'
import { insertSession, insertSessions, type KeyedSession } from './session-store.ts'

type QueuedSession = KeyedSession & {
  /** Of its key: one statement could not tell apart two rows with one key. */
  name: string
  resolve: () => void
  reject: (error: unknown) => void
}

type Queue = { waiting: Map<string, QueuedSession[]>; running: Set<QueuedSession[]> }

/** A batch may wait for a lock, so a merchant has a second, and others have one that these two do not hold up. */
const batches_at_once = 3
const batches_of_one_merchant = 2
const batch_rows_max = 50

export function openSessionInserts(sql: Sql): InsertSession {
  const queue: Queue = { waiting: new Map(), running: new Set() }

  async function run(): Promise<void> {
    if (queue.running.size >= batches_at_once) return
    const batch = takeBatch(queue)
    if (batch.length === 0) return
    queue.running.add(batch)
    await insertBatch(sql, batch)
    queue.running.delete(batch)
    if (queue.waiting.size > 0) void run()
  }

  return ({ key, ...rows }) => {
    // Few requests have no key, so batches do not support them.
    if (key === null) return insertSession(sql, { key, ...rows })
    return new Promise((resolve, reject) => {
      const { merchant_id } = rows.session
      const name = JSON.stringify([merchant_id, key.audience, key.key])
      const own = queue.waiting.get(merchant_id) ?? []
      queue.waiting.set(merchant_id, own)
      own.push({ key, ...rows, name, resolve, reject })
      void run()
    })
  }
}

/** One of each merchant in turn, so that many sessions of one do not keep another's waiting. Empty where nobody may go on. */
function takeBatch({ waiting, running }: Queue): QueuedSession[] {
  const batchesOf = (merchant_id: string) =>
    [...running].filter((rows) => rows.some((row) => row.session.merchant_id === merchant_id))
  const turn = [...waiting.keys()].filter((merchant_id) => batchesOf(merchant_id).length < batches_of_one_merchant)
  const batch: QueuedSession[] = []
  const names = new Set<string>()
  for (let before = -1; before < batch.length && batch.length < batch_rows_max; ) {
    before = batch.length
    for (const merchant_id of turn) {
      const own = waiting.get(merchant_id)
      const row = own && batch.length < batch_rows_max ? takeOne(own, names) : undefined
      if (!own || !row) continue
      batch.push(row)
      // Behind those who have had no turn.
      waiting.delete(merchant_id)
      if (own.length > 0) waiting.set(merchant_id, own)
    }
  }
  return batch
}

/** The first session under a key that the batch does not have. */
function takeOne(own: QueuedSession[], names: Set<string>): QueuedSession | undefined {
  const at = own.findIndex(({ name }) => !names.has(name))
  const [row] = at === -1 ? [] : own.splice(at, 1)
  if (row) names.add(row.name)
  return row
}

/** Writes a batch, and settles its rows then or later; never throws. */
async function insertBatch(sql: Sql, batch: QueuedSession[]): Promise<void> {
  if (batch.length === 1) return insertAlone(sql, batch[0]!)
  try {
    const ids = await insertSessions(sql, batch)
    for (const row of batch) {
      if (ids.has(row.session.session_id)) row.resolve()
      else row.reject(new KeyTakenError())
    }
  } catch (error) {
    // Nobody knows whether the batch was committed. Each request finds out by its key.
    if (isConnectionLost(error)) for (const row of batch) row.reject(error)
    // Nothing was written. A problem of one row, such as a lock, must not become the others' problem, nor that of the next batch.
    else for (const row of batch) void insertAlone(sql, row)
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
