// A process of the service in a simulated world, and what surrounds it.

import type { Sql } from '../../src/database/open.ts'
import type { MarkMemory } from '../../src/database/rollback-detection/high-water-file.ts'
import type { JobContext } from '../../src/jobs.ts'
import type { Http, Log } from '../../src/kernel/world.ts'
import type { Service } from '../../src/service/assemble.ts'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import type { Clocks, Skew } from './clocks.ts'
import type { Faults } from './faults.ts'
import type { JobName } from './job-names.ts'
import type { Plant } from './plants.ts'
import type { Receivers } from './receivers.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { VendorPosts } from './vendor-posts.ts'

export type Surroundings = {
  scheduler: Scheduler
  chance: Chance
  faults: Faults
  bank: Bank
  receivers: Receivers
  /** The notices of vendors. */
  posts: VendorPosts
  outside: Owner
  /** The database as it really is. */
  sql: Sql
  master_key: Buffer
  plant: Plant
  log: Log
  /** Posts to the Directory Server. */
  http(process: Owner, die: () => never): Http
  settings: DeliverySettings
  clocks: Clocks
  /** What processes remember of the database, beside it. */
  marks: MarkMemory
  crashed(process: Process): void
  /** Told of every statement that may have changed what is due. */
  changedDue(): void
}

export type Process = Owner & {
  service: Service | null
  skew: Skew
  /** Rejects when the process dies. */
  died: Promise<never>
  context(): JobContext
  /** Whether it found out that its clock is so wrong that requests must change nothing by it. */
  isFarOff(): boolean
  /** False where it found out that its clock is wrong: it answers requests, and begins nothing by itself. */
  mayWork(): boolean
  /** Begins a job, unless it is under way in this process or may not begin. */
  run(job: JobName): void
  /** Requests that it has not answered yet. */
  under_way: number
  /** Ends where it is. */
  kill(): void
  /** Ends in order, once its requests are answered. */
  stop(): Promise<void>
  /** What it has heard of others' changes of settings counts no more. */
  hearSettings(): void
}
