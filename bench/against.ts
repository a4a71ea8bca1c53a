// This tree against another: the service of each, on a database of its own, under the same load turn by turn.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Client, closedLoad, openClients, type Work } from './load.ts'
import { median, type Table, whole } from './report.ts'
import { type Started, startService, withDataFolder } from './service.ts'
import { creating, makeSessions, openTill, reading } from './work.ts'

const kinds = ['session create', 'session read', 'whole checkout'] as const
type Kind = (typeof kinds)[number]
const clients_at_once = { 'session create': 64, 'session read': 64, 'whole checkout': 32 }

type Side = { clients: Client[]; works: Record<Kind, Work> }
/** What each side did a second. */
type Turn = { here: number; there: number }

/** `folder` is a checkout of this repository that has been set up. Throws where it is not. */
export async function against(folder: string, { quick }: { quick: boolean }): Promise<Table[]> {
  const there_root = resolve(folder)
  if (!existsSync(join(there_root, 'node_modules'))) {
    throw new Error(`${there_root} is no checkout in which npm install has run`)
  }
  const length = quick ? { turns: 5, seconds: 1 } : { turns: 21, seconds: 2 }
  return withSide(undefined, (here) =>
    withSide(there_root, async (there) => [tableOf(await takeTurns(here, there, length), length)]),
  )
}

async function withSide<T>(root: string | undefined, work: (side: Side) => Promise<T>): Promise<T> {
  return withDataFolder(async (data_dir) => {
    const service = await startService(data_dir, { root })
    try {
      const side = await openSide(service)
      const result = await work(side)
      for (const client of side.clients) client.close()
      return result
    } finally {
      await service.stop()
    }
  })
}

async function openSide(service: Started): Promise<Side> {
  const clients = await openClients(service.base_url, Math.max(...Object.values(clients_at_once)))
  const session_ids = await makeSessions(clients, service)
  return {
    clients,
    works: {
      'session create': creating(service),
      'session read': reading(service, session_ids),
      'whole checkout': openTill(service).pay,
    },
  }
}

type Length = { turns: number; seconds: number }

/** Who begins a turn changes, so that a machine that slows down slows both. The first turns warm both sides up. */
async function takeTurns(here: Side, there: Side, { turns, seconds }: Length) {
  const all: Record<Kind, Turn[]> = {
    'session create': [],
    'session read': [],
    'whole checkout': [],
  }
  for (let turn = -2; turn < turns; turn += 1) {
    for (const kind of kinds) {
      const rates = { here: 0, there: 0 }
      const sides = [
        ['here', here],
        ['there', there],
      ] as const
      for (const [name, side] of turn % 2 === 0 ? sides : sides.toReversed()) {
        rates[name] = await rateOf(side, kind, seconds)
      }
      if (turn >= 0) all[kind].push(rates)
    }
  }
  return all
}

async function rateOf({ clients, works }: Side, kind: Kind, seconds: number): Promise<number> {
  const own = clients.slice(0, clients_at_once[kind])
  const load = await closedLoad(own, { seconds }, works[kind])
  if (load.failed > 0) throw new Error(`${load.failed} of ${kind} failed`)
  return load.done / load.seconds
}

function tableOf(all: Record<Kind, Turn[]>, { turns, seconds }: Length): Table {
  const rows = kinds.map((kind) => {
    const ratios = all[kind].map(({ here, there }) => here / there).sort((a, b) => a - b)
    return [
      kind,
      whole(median(all[kind].map(({ here }) => here))),
      whole(median(all[kind].map(({ there }) => there))),
      ...[median(ratios), ratios[0]!, ratios.at(-1)!].map((ratio) => ratio.toFixed(2)),
    ]
  })
  const at_once = `${clients_at_once['session create']} creates or reads, or ${clients_at_once['whole checkout']} checkouts, at once`
  const notes = [`Medians of ${turns} turns of ${seconds} s on each side; ${at_once}.`]
  const headings = ['', 'here /s', 'there /s', 'ratio', 'lowest', 'highest']
  return { name: 'against', headings, rows, notes }
}
