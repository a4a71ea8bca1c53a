// One, two and four service processes on one PostgreSQL: what they do together, who has the cores meanwhile, and whether
// the books still agree.

import { availableParallelism } from 'node:os'
import { compareBooks } from './books.ts'
import { type Client, closedLoad, openClients, type Work } from './load.ts'
import { cpuSeconds, familyCpuSeconds, machineCpuSeconds } from './proc.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { databasePid, type Started, withDataFolder, withServices } from './service.ts'
import { creating, makeSessions, openTill, reading } from './work.ts'

const counts = [1, 2, 4]
const kinds = ['session create', 'session read', 'whole checkout'] as const
const clients_at_once = { 'session create': 64, 'session read': 64, 'whole checkout': 32 }
/** Others are whatever else the machine does, the kernel's interrupts among it. */
const sides = ['services', 'PostgreSQL', 'generator', 'others'] as const
/** From this share on, a core or all cores count as used up. */
const busy_share = 0.9

type ProcessesResult = {
  kind: (typeof kinds)[number]
  processes: number
  per_second: number
  p50_ms: number
  p99_ms: number
  /** How many cores each side had, on average. */
  cores: Record<(typeof sides)[number], number>
}

export async function processes({ quick }: { quick: boolean }): Promise<Table[]> {
  const rounds = quick ? 1 : 3
  const seconds = quick ? 1.5 : 5
  return withDataFolder(async (data_dir) => {
    const found: ProcessesResult[] = []
    let captured = 0
    for (let round = 0; round < rounds; round += 1) {
      for (const count of counts) {
        const turn = { data_dir, seconds, captured_before: captured }
        await withServices(data_dir, count, async (services) => {
          const measured = await measure(services, turn)
          captured = measured.captured
          found.push(...measured.found)
        })
      }
    }
    return [tableOf(found, { rounds, seconds, captured })]
  })
}

type Turn = { data_dir: string; seconds: number; captured_before: number }

async function measure(
  services: Started[],
  { data_dir, seconds, captured_before }: Turn,
): Promise<{ found: ProcessesResult[]; captured: number }> {
  const [service] = services as [Started]
  const clients = await openSpread(services, Math.max(...Object.values(clients_at_once)))
  const till = openTill(service)
  const works: Record<(typeof kinds)[number], Work> = {
    'session create': creating(service),
    'session read': reading(service, await makeSessions(clients, service)),
    'whole checkout': till.pay,
  }
  const serving = await databasePid(data_dir)
  const spent = (): ProcessesResult['cores'] => {
    const own = {
      services: services.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      PostgreSQL: familyCpuSeconds(serving),
      generator: cpuSeconds(process.pid),
    }
    return { ...own, others: machineCpuSeconds() - own.services - own.PostgreSQL - own.generator }
  }
  const found: ProcessesResult[] = []
  for (const kind of kinds) {
    const own = clients.slice(0, clients_at_once[kind])
    await closedLoad(own, { seconds: seconds / 2 }, works[kind])
    const before = spent()
    const load = await closedLoad(own, { seconds }, works[kind])
    const after = spent()
    if (load.failed > 0) throw new Error(`${load.failed} of ${kind} failed`)
    found.push({
      kind,
      processes: services.length,
      per_second: load.done / load.seconds,
      p50_ms: percentile(load.latencies_ms, 0.5),
      p99_ms: percentile(load.latencies_ms, 0.99),
      cores: eachSide((side) => (after[side] - before[side]) / load.seconds),
    })
  }
  for (const client of clients) client.close()
  const captured = captured_before + till.captured
  await compareBooks(data_dir, service, captured)
  return { found, captured }
}

/** Clients with a connection to each process, whose requests go to them in turn: the steps of a checkout as well. */
async function openSpread(services: Started[], count: number): Promise<Client[]> {
  const connections = await Promise.all(services.map(({ base_url }) => openClients(base_url, count)))
  return Array.from({ length: count }, (_, at) => {
    const own = connections.map((clients) => clients[at]!)
    let next = at
    return {
      send: (request) => own[next++ % own.length]!.send(request),
      close() {
        for (const client of own) client.close()
      },
    }
  })
}

function eachSide(of: (side: (typeof sides)[number]) => number): ProcessesResult['cores'] {
  return Object.fromEntries(sides.map((side) => [side, of(side)])) as ProcessesResult['cores']
}

type Length = { rounds: number; seconds: number; captured: number }

function tableOf(found: ProcessesResult[], { rounds, seconds, captured }: Length): Table {
  const cores = availableParallelism()
  const medians = kinds.flatMap((kind) =>
    counts.map((processes): ProcessesResult => {
      const own = found.filter((each) => each.kind === kind && each.processes === processes)
      const of = (value: (each: ProcessesResult) => number) => median(own.map(value))
      return {
        kind,
        processes,
        per_second: of((each) => each.per_second),
        p50_ms: of((each) => each.p50_ms),
        p99_ms: of((each) => each.p99_ms),
        cores: eachSide((side) => of((each) => each.cores[side])),
      }
    }),
  )
  const rows = medians.map((each) => [
    `${each.kind}, ${each.processes} ${each.processes === 1 ? 'process' : 'processes'}`,
    whole(each.per_second),
    each.p50_ms.toFixed(1),
    each.p99_ms.toFixed(1),
    ...sides.map((side) => each.cores[side].toFixed(2)),
    busyCores(each).toFixed(2),
  ])
  const at_once = `${clients_at_once['session create']} creates or reads, or ${clients_at_once['whole checkout']} checkouts, at once`
  return {
    name: 'processes',
    headings: ['', '/s', 'p50 ms', 'p99 ms', ...sides.map((side) => `${side}, cores`), 'in all'],
    rows,
    notes: [
      `Each figure is the median of ${rounds} × ${seconds} s, turn by turn; ${at_once}. Cores are seconds of CPU time a second; the machine has ${cores}.`,
      ...kinds.map((kind) =>
        limitsOf(
          medians.filter((each) => each.kind === kind),
          cores,
        ),
      ),
      `No request failed, and after each of the ${rounds * counts.length} turns all books agreed, on ${whole(captured)} payments in the end.`,
    ],
  }
}

function busyCores({ cores }: ProcessesResult): number {
  return sides.reduce((sum, side) => sum + cores[side], 0)
}

/** What limits one kind of work: the machine, the one core that a process's JavaScript has, or neither. */
function limitsOf(found: ProcessesResult[], cores: number): string {
  const limits = found.map((each) => {
    if (busyCores(each) >= busy_share * cores) return "the machine's cores"
    const is_full = each.cores.services / each.processes >= busy_share
    return is_full ? 'the one core that a process uses' : 'neither the cores nor a process'
  })
  const named = [...new Set(limits)].map((limit) => {
    const processes = found.filter((_, at) => limits[at] === limit).map((each) => each.processes)
    return `${limit} (with ${processes.join(', ')})`
  })
  const shares = sides.map((side) => {
    const percents = found.map((each) => Math.round((each.cores[side] / busyCores(each)) * 100))
    return `${side} ${percents.join(', ')} %`
  })
  return `What limits a ${found[0]!.kind}: ${named.join('; ')}. Shares of the CPU time with ${counts.join(', ')}: ${shares.join('; ')}.`
}
