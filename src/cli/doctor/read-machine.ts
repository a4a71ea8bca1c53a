// Reads the facts for the checks of the machine. Changes nothing.

import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { configFaults, unknownVariables } from '../../config/config.ts'
import { writersOf } from '../../config/data-folder.ts'
import { masterKeyPath } from '../../config/master-key.ts'
import { readAssets } from '../../pages/assets.ts'
import { demoPath } from '../../service/demo.ts'
import { terminal } from '../terminal/terminal.ts'
import type { MachineFacts } from './machine.ts'

export function readMachine(data_dir: string): MachineFacts {
  return {
    node_version: process.versions.node,
    is_root: process.getuid?.() === 0,
    config_faults: configFaults(terminal().environment),
    unknown_variables: unknownVariables(terminal().environment),
    data_dir: folderFacts(data_dir),
    key_files: [masterKeyPath(data_dir), demoPath(data_dir)]
      .filter((path) => existsSync(path))
      .map((path) => ({ path, others_may_read: (statSync(path).mode & 0o077) !== 0 })),
    pages_fault: pagesFault(),
  }
}

function folderFacts(path: string): MachineFacts['data_dir'] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) {
    return { path, is_there: false, is_folder: false, may_write: false, writers: null }
  }
  const may_write = mayWrite(path)
  return {
    path,
    is_there: true,
    is_folder: found.isDirectory(),
    may_write,
    writers: writersOf(found),
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function pagesFault(): string | null {
  try {
    readAssets()
    return null
  } catch (error) {
    return `the pages cannot be read: ${(error as Error).message}`
  }
}
