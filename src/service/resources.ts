// What a process works with: the database, the clock and other surroundings, the master keys. A service creates what is
// missing; a command refuses.

import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import { checkDataFolder, makeDataFolder } from '../config/data-folder.ts'
import { keepMasterKey, readMasterKey } from '../config/master-key.ts'
import { isMade } from '../database/embedded/home.ts'
import { migrate, refuseUnlessMigrated } from '../database/migrate.ts'
import { type Database, openDatabase } from '../database/open.ts'
import { checkSealingKeys } from '../database/stores/sealing-keys.ts'
import { type Keyring, openKeyring } from '../kernel/keyring.ts'
import type { OpenedTracing } from '../kernel/tracing.ts'
import type { VendorHttp, World } from '../kernel/world.ts'
import { liveMerchantExists, notifyOfChange } from '../merchants/store.ts'
import { type LogLines, openWorld } from '../outgoing/real-world.ts'
import { openTracing } from '../outgoing/tracing/open-tracing.ts'
import { openVendorHttp } from '../outgoing/vendor-http.ts'

export type ServiceResources = { world: World; database: Database; keyring: Keyring }

export type Opened = ServiceResources & {
  vendor_http: VendorHttp
  /** Null if nothing is traced. Commands trace nothing. */
  tracing: OpenedTracing | null
}

/** Opens the database for a service or a worker, and creates what is missing. */
export async function open(config: Config, logLines?: LogLines): Promise<Opened> {
  const repairs = config.database_url === null ? keepFolder(config.data_dir) : []
  return openWith(config, logLines, {
    is_service: true,
    traces: (world) => openTracing(config, world),
    prepare({ sql }, { log, clock }) {
      for (const words of repairs) log.warn({}, words)
      return migrate({ sql, log, clock })
    },
    masterKeys: ({ random }) => keepMasterKey(config.data_dir, random),
  })
}

/**
 * Opens an existing database for a command. It refuses a missing one or one of another release: a command in the wrong
 * folder must not create a database, and a command of a new release must not begin the upgrade.
 */
export async function openExisting(config: Config, logLines: LogLines): Promise<Opened> {
  const { data_dir } = config
  refuseUnlessMade(config)
  return openWith(config, logLines, {
    prepare: ({ sql }) => refuseUnlessMigrated(sql),
    masterKeys() {
      const key = readMasterKey(data_dir)
      if (key) return key
      throw new Error(`There is no master key in ${resolve(data_dir)}: put master.key back there.`)
    },
  })
}

/** Throws a ConfigError if the configuration means an embedded database that does not exist yet. */
export function refuseUnlessMade({ database_url, data_dir }: Config): void {
  if (database_url !== null || isMade(data_dir)) return
  throw new ConfigError(
    'RIPPER_DATA_DIR',
    `must name the folder of the service: there is no database in ${resolve(data_dir)}. A first start, or ripper ` +
      'migrate, makes one.',
  )
}

async function openWith(
  config: Config,
  logLines: LogLines | undefined,
  how: {
    is_service?: boolean
    prepare(database: Database, world: World): Promise<unknown>
    traces?(world: World): Promise<OpenedTracing | null>
    /** For a configuration without a master key. */
    masterKeys(world: World): Buffer[]
  },
): Promise<Opened> {
  const world = openWorld(config, logLines)
  const tracing = (await how.traces?.(world)) ?? null
  const database = await openDatabase({
    tracing,
    url: config.database_url,
    data_dir: config.data_dir,
    connections_max: config.database_connections,
    is_service: how.is_service ?? false,
    log: world.log,
    clock: world.clock,
  })
  try {
    await how.prepare(database, world)
    await refuseShiftedClock(config, database)
    const master_keys = config.master_keys ?? how.masterKeys(world)
    const keyring = openKeyring(master_keys, world.random)
    // Processes without the new key must know before anything is sealed under it.
    const is_rotated = await checkSealingKeys(database.sql, keyring, world.clock.now())
    if (is_rotated) await notifyOfChange(database.sql, '')
    const { connection_allowed_networks: allowed_networks } = config
    const vendorHttp = openVendorHttp({ clock: world.clock, allowed_networks })
    return { world, database, keyring, vendor_http: vendorHttp, tracing }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Returns which faults of the folder it mended. */
export function keepFolder(data_dir: string): string[] {
  let check: ReturnType<typeof checkDataFolder>
  try {
    makeDataFolder(data_dir)
    accessSync(data_dir, constants.W_OK)
    check = checkDataFolder(data_dir)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError('RIPPER_DATA_DIR', `must be a folder that can be made and written to (${code ?? message}).`)
  }
  const { mended, fault } = check
  if (fault !== null) throw new ConfigError('RIPPER_DATA_DIR', fault)
  return mended
}

/** A shifted clock is for looking ahead in test mode; it must never touch deadlines of real money. */
async function refuseShiftedClock(config: Config, database: Database): Promise<void> {
  if (config.clock_offset_seconds === 0 || !(await liveMerchantExists(database.sql))) return
  throw new Error('RIPPER_CLOCK_OFFSET_SECONDS must be 0 or unset: this database has a live merchant.')
}
