// Keeps the card ranges of each Directory Server: loaded at the first use, refreshed by delta once a day.

import type { World } from '../../kernel/world.ts'
import { type CardRangeStore, ProviderUnavailable, type StoredRanges } from '../three-ds.ts'
import type { ServerIdentity } from './areq.ts'
import { applyChanges, type CardRangeTable, changesIn } from './card-ranges.ts'
import { askDirectoryServer, type DirectoryServer } from './directory-server.ts'
import { type Message, present } from './messages.ts'
import { newTransactionId, transactionIdOf } from './transaction-id.ts'

type CardRanges = {
  /** Throws ProviderUnavailable if there is no table and none can be loaded. */
  tableOf(server: DirectoryServer): Promise<CardRangeTable>
}

type Loading = {
  world: World
  store: CardRangeStore
  identity: ServerIdentity
}

const hour_ms = 3_600_000
/** EMVCo wants a PReq once a day at least. */
const refresh_after_ms = 24 * hour_ms
/** EMVCo lets a Directory Server refuse more frequent ones: Erro 103. */
const ask_again_after_ms = hour_ms

/** Schemes with the same address share one table, because the same server answers for them. */
export function openCardRanges(loading: Loading): CardRanges {
  const { clock } = loading.world
  const memory = new Map<string, StoredRanges>()
  const triedAt = new Map<string, number>()
  const loads = new Map<string, Promise<StoredRanges>>()

  async function load(server: DirectoryServer, old: StoredRanges | null): Promise<StoredRanges> {
    const row = await loading.store.load(server.url)
    const latest = newest(old, row)
    const stale = !latest || !isFresh(latest, clock.now())
    const update = stale ? await refresh(loading, server, latest) : null
    if (update) await loading.store.save(server.url, update)
    const usable = update ?? latest
    if (!usable) throw new ProviderUnavailable(`no card ranges could be had for ${server.scheme}`)
    memory.set(server.url, usable)
    return usable
  }

  async function tableOf(server: DirectoryServer): Promise<CardRangeTable> {
    const { url } = server
    const now = clock.now()
    const latest = memory.get(url) ?? null
    const asked_lately = now.getTime() - (triedAt.get(url) ?? 0) < ask_again_after_ms
    if (latest && (isFresh(latest, now) || asked_lately)) return latest.ranges
    const runningLoad = loads.get(url)
    if (runningLoad) return (await runningLoad).ranges
    triedAt.set(url, now.getTime())
    const newLoad = load(server, latest).finally(() => loads.delete(url))
    loads.set(url, newLoad)
    return (await newLoad).ranges
  }

  return { tableOf }
}

/** The ranges after a PReq, or null if the Directory Server did not send them. */
async function refresh(
  loading: Loading,
  server: DirectoryServer,
  old: StoredRanges | null,
): Promise<StoredRanges | null> {
  const { log } = loading.world
  try {
    const changedRanges = old && (await fetchRanges(loading, server, old))
    // If the Directory Server refuses a delta, or if it does not fit our table, a full load replaces the table.
    return changedRanges || (await fetchRanges(loading, server, null))
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    log.warn({ scheme: server.scheme, reason: error.message }, 'card ranges not refreshed')
    return null
  }
}

async function fetchRanges(
  { world, identity }: Loading,
  server: DirectoryServer,
  old: StoredRanges | null,
): Promise<StoredRanges | null> {
  const preq: Message = {
    messageType: 'PReq',
    messageVersion: '2.2.0',
    threeDSServerRefNumber: identity.server_reference_number,
    threeDSServerOperatorID: identity.operator_id,
    threeDSServerTransID: newTransactionId(world.random),
    ...present('serialNum', old?.serial_number),
  }
  const answer = await askDirectoryServer(world, server, preq, 'PRes')
  if ('silent' in answer) throw new ProviderUnavailable(`the PReq got ${answer.silent}`)
  const pres = 'message' in answer && isAnswerTo(preq, answer.message) ? answer.message : null
  const ranges = pres && applyChanges(old?.ranges ?? [], changesIn(pres))
  if (!pres || !ranges) {
    world.log.warn({ scheme: server.scheme, delta: old !== null }, 'card ranges refused')
    return null
  }
  return {
    serial_number: pres.serialNum as string,
    fetched_at: world.clock.now(),
    ranges: [...ranges],
  }
}

function isAnswerTo(preq: Message, pres: Message): boolean {
  return (
    pres.messageType === 'PRes' &&
    pres.messageVersion === preq.messageVersion &&
    transactionIdOf(pres.threeDSServerTransID) === preq.threeDSServerTransID
  )
}

function isFresh({ fetched_at }: StoredRanges, now: Date): boolean {
  return now.getTime() - fetched_at.getTime() < refresh_after_ms
}

function newest(a: StoredRanges | null, b: StoredRanges | null): StoredRanges | null {
  if (!a || !b) return a ?? b
  return a.fetched_at >= b.fetched_at ? a : b
}
