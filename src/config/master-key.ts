// The master keys: given by configuration, or created once beside the embedded database.

import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../kernel/world.ts'
import { makeDataFolder, syncFolder } from './data-folder.ts'
import { asOwner, readFile } from './owner.ts'

/** Reads the master key of a data folder and creates it on first use. Safe when several processes start at once. */
export function keepMasterKey(data_dir: string, random: Random): Buffer[] {
  const path = masterKeyPath(data_dir)
  const key = read(path)
  if (key) return key
  makeDataFolder(data_dir)
  const draft = `${path}.${random.bytes(6).toString('hex')}`
  // Sealed records survive a power cut, so the key must as well.
  const text = `${random.bytes(32).toString('base64')}\n`
  asOwner(data_dir, () => {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    try {
      // A link is created whole or not at all, and never replaces what another process created first.
      linkSync(draft, path)
      syncFolder(data_dir)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  })
  return read(path)!
}

/** Reads the key without creating it: null if there is none yet. Throws if the file contains something else. */
export function readMasterKey(data_dir: string): Buffer[] | null {
  return read(masterKeyPath(data_dir))
}

export function masterKeyPath(data_dir: string): string {
  return join(data_dir, 'master.key')
}

function read(path: string): Buffer[] | null {
  let text: string
  try {
    text = readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const keys = text
    .split(/[,\s]+/)
    .filter(Boolean)
    .map((each) => Buffer.from(each, 'base64'))
  if (keys.length > 0 && keys.every((key) => key.length === 32)) return keys
  throw new Error(`${path} does not hold a master key of 32 bytes in base64.`)
}
