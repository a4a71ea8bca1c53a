// A simulated installation: service processes on machines, and database machines, each of which has some cells of merchants.

import type { Chance, Clock } from './scale-clock.ts'
import {
  type Cores,
  type LogDevice,
  openCores,
  openLogDevice,
  openThread,
  openTurns,
  type Thread,
} from './scale-stations.ts'

export type Shape = {
  services: { machines: number; cores: number; processes_per_machine: number }
  databases: {
    machines: number
    cores: number
    /** There and back to the standby, on whose disk the log has to be, too; null where there is none. */
    standby_round_trip_ms: number | null
  }
  cells: {
    /** Of all machines together. */
    count: number
    /** Of each process to each cell. */
    connections: number
  }
  /** Everything shares the cores of one machine, a generator of load as well. */
  is_one_machine: boolean
  /** There and back, between a service and a database. */
  round_trip_ms: number
  /** The mean. */
  flush_ms: number
}

export type Process = {
  thread: Thread
  /** By cell. */
  connections: Statements[]
}
/** Runs a statement; false where the database has lost it. */
export type Statements = (
  statement: { work_ms: number; flushes: boolean },
  done: (is_answered: boolean) => void,
) => void

export type Database = {
  cores: Cores
  log: LogDevice
  is_down: boolean
  /** How often it has gone down: what was under way then is lost. */
  falls: number
}

export type Cluster = {
  processes: Process[]
  databases: Database[]
  /** The database of each cell. */
  cells: Database[]
  service_cores: Cores[]
  /** Of the generator, where it shares the machine. */
  generator: Thread | null
}

export type Parts = { clock: Clock; chance: Chance }

export function openCluster(shape: Shape, { clock, chance }: Parts): Cluster {
  const { services, round_trip_ms } = shape
  const { machines, cores, standby_round_trip_ms } = shape.databases
  const shared = shape.is_one_machine ? openCores(clock, cores) : null
  const flushMs = () => chance.exponential(shape.flush_ms)
  const databases = Array.from(
    { length: machines },
    (): Database => ({
      cores: shared ?? openCores(clock, cores),
      log: openLogDevice(clock, flushMs),
      is_down: false,
      falls: 0,
    }),
  )
  const standbys = databases.map(() =>
    standby_round_trip_ms === null
      ? null
      : { log: openLogDevice(clock, flushMs), one_way_ms: standby_round_trip_ms / 2 },
  )
  const places = Array.from({ length: shape.cells.count }, (_, cell) => cell % machines)
  const service_cores = shared
    ? [shared]
    : Array.from({ length: services.machines }, () => openCores(clock, services.cores))
  const openProcess = (own_cores: Cores): Process => ({
    thread: openThread(own_cores),
    connections: places.map((at) =>
      openConnections(databases[at]!, {
        clock,
        count: shape.cells.connections,
        standby: standbys[at]!,
        one_way_ms: round_trip_ms / 2,
      }),
    ),
  })
  const processes = service_cores.flatMap((own_cores) =>
    Array.from({ length: services.processes_per_machine }, () => openProcess(own_cores)),
  )
  const cells = places.map((at) => databases[at]!)
  return { processes, databases, cells, service_cores, generator: shared && openThread(shared) }
}

type Standby = { log: LogDevice; one_way_ms: number }
type Wiring = { clock: Clock; count: number; standby: Standby | null; one_way_ms: number }

/**
 * A statement goes to a connection that is free, or else behind what another still has to do, each in its turn, as the driver
 * does it. A backend does one statement after another and waits for its commit.
 */
function openConnections(database: Database, { clock, count, standby, one_way_ms }: Wiring): Statements {
  const backends = Array.from({ length: count }, () => ({ turns: openTurns(), waiting: 0 }))
  let next = 0
  return ({ work_ms, flushes }, done) => {
    const answer = (is_answered: boolean) => clock.after(one_way_ms, () => done(is_answered))
    if (database.is_down) return clock.after(one_way_ms, () => answer(false))
    let backend = backends.find(({ waiting }) => waiting === 0)
    if (!backend) {
      backend = backends[next]!
      next = (next + 1) % count
    }
    const own = backend
    own.waiting += 1
    const { falls } = database
    const work = (leave: () => void) => {
      const end = () => {
        own.waiting -= 1
        leave()
        answer(database.falls === falls)
      }
      const replicate = () => {
        // The log leaves for the standby once it is on the own disk.
        if (!standby) return end()
        const { log, one_way_ms } = standby
        clock.after(one_way_ms, () => log.flush(() => clock.after(one_way_ms, end)))
      }
      database.cores.run(work_ms, () => (flushes ? database.log.flush(replicate) : end()))
    }
    clock.after(one_way_ms, () => own.turns.take(work))
  }
}

/** A machine dies, and after a time its standby stands in its place. */
export function letFall(database: Database, clock: Clock, { at_ms, for_ms }: { at_ms: number; for_ms: number }): void {
  clock.after(at_ms, () => {
    database.is_down = true
    database.falls += 1
  })
  clock.after(at_ms + for_ms, () => {
    database.is_down = false
  })
}
