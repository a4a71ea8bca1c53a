// How many checkouts a second the cluster's servers do on this machine, beside one PostgreSQL, and which of them has how much of the work.

import { closedLoad, openClients, type Work } from '../../bench/load.ts'
import { familyCpuSeconds } from '../../bench/proc.ts'
import { median } from '../../bench/report.ts'
import { openTill } from '../../bench/work.ts'
import type { Merchant, Service } from './stand.ts'

/** Servers of a side, by name, with the id of their first process. */
export type Side = {
  name: string
  service: Service
  merchants: Merchant[]
  servers: { name: string; pid: number }[]
}

export type Figures = {
  name: string
  per_second: number
  /** CPU milliseconds a checkout: of the service, and of each server. */
  spent_ms: Record<string, number>
}

const clients_at_once = 32

/** The sides take turns, of which the first does not count. */
export async function compareRates(
  sides: Side[],
  { turns, seconds }: { turns: number; seconds: number },
): Promise<Figures[]> {
  const found = new Map(sides.map((side) => [side, [] as Omit<Figures, 'name'>[]]))
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      const measured = await measure(side, seconds)
      if (turn > 0) found.get(side)!.push(measured)
    }
  }
  return [...found].map(([{ name }, all]) => ({
    name,
    per_second: median(all.map(({ per_second }) => per_second)),
    spent_ms: Object.fromEntries(
      Object.keys(all[0]!.spent_ms).map((of) => [of, median(all.map((one) => one.spent_ms[of]!))]),
    ),
  }))
}

async function measure(side: Side, seconds: number): Promise<Omit<Figures, 'name'>> {
  const { service, merchants } = side
  const clients = await openClients(service.base_url, clients_at_once)
  const works: Work[] = merchants.map((merchant) => openTill(merchant).pay)
  const before = spentBy(side)
  const load = await closedLoad(clients, { seconds }, (client, index) => works[index % works.length]!(client, index))
  const after = spentBy(side)
  for (const client of clients) client.close()
  if (load.failed > 0) throw new Error(`${load.failed} checkouts failed: ${side.name}`)
  const spent = Object.keys(after).map((name) => [name, ((after[name]! - before[name]!) * 1000) / load.done])
  return { per_second: load.done / load.seconds, spent_ms: Object.fromEntries(spent) }
}

function spentBy({ service, servers }: Side): Record<string, number> {
  const all = [{ name: 'service', pid: service.pid }, ...servers]
  return Object.fromEntries(all.map(({ name, pid }) => [name, familyCpuSeconds(pid)]))
}
