// Checks the machine: Node, environment variables, files in the data folder, built pages.

import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { configFaults, unknownVariables } from '../../config/config.ts'
import { writersOf } from '../../config/data-folder.ts'
import { masterKeyPath } from '../../config/master-key.ts'
import { readAssets } from '../../pages/assets.ts'
import { demoPath } from '../../service/demo.ts'
import { terminal } from '../terminal/terminal.ts'
import { type Check, ok, problem, warning } from './finding.ts'

export type MachineFacts = {
  /** Such as `24.21.0`. */
  node_version: string
  /** Whether this process is root. */
  is_root: boolean
  config_faults: string[]
  unknown_variables: string[]
  data_dir: {
    path: string
    is_there: boolean
    is_folder: boolean
    may_write: boolean
    /** The users besides its owner who may write to the folder, or null. */
    writers: ReturnType<typeof writersOf>
  }
  /** The files with keys that exist. */
  key_files: { path: string; others_may_read: boolean }[]
  /** Why the pages cannot be read, or null. */
  pages_fault: string | null
}

/** As in `scripts/own-node.mjs`. */
const node_needed = '24.16'

export const machineChecks: Check<MachineFacts>[] = [
  {
    name: 'Node',
    judge({ node_version }) {
      if (node_version.localeCompare(node_needed, 'en', { numeric: true }) >= 0) return ok(node_version)
      return problem(
        `${node_version}, and ${node_needed} is needed`,
        'Run npx ripper, which brings its own Node, or install a newer one.',
      )
    },
  },
  {
    name: 'User',
    judge({ is_root }) {
      if (!is_root) return ok('not root')
      return warning(
        'this runs as root, and whoever breaks into a service that does owns this machine',
        'Run the service as a user of its own; "A user of its own" in docs/operations.md says how.',
      )
    },
  },
  {
    name: 'Configuration',
    judge({ config_faults, unknown_variables }) {
      if (config_faults.length > 0) {
        return problem(config_faults.join(' '), 'ripper config says what each variable means.')
      }
      if (unknown_variables.length === 0) return ok('every variable can be read')
      return warning(
        `nothing reads ${unknown_variables.join(', ')}`,
        'Look for a typing mistake: ripper config lists every name.',
      )
    },
  },
  {
    name: 'Data folder',
    judge({ data_dir }) {
      const { path, is_there, is_folder, may_write, writers } = data_dir
      if (!is_there) return ok(`${path} does not exist yet; the service makes it when it needs it`)
      if (!is_folder) return problem(`${path} is not a folder`, 'Set RIPPER_DATA_DIR to a folder.')
      if (writers !== null) {
        return problem(
          `${writers} of this machine may write to ${path}, and so could replace the keys there`,
          `chmod go-w ${path}. The next start does it, too, if the folder belongs to its user.`,
        )
      }
      if (may_write) return ok(path)
      return problem(
        `${path} cannot be written to by this user`,
        `Make the user of the service its owner, or set RIPPER_DATA_DIR.`,
      )
    },
  },
  {
    name: 'Files with keys',
    judge({ key_files }) {
      const open = key_files.filter((file) => file.others_may_read).map(({ path }) => path)
      if (open.length > 0) {
        return problem(
          `other users of this machine may read ${open.join(' and ')}`,
          `chmod 600 ${open.join(' ')}. If others may have read the keys, change them.`,
        )
      }
      if (key_files.length === 0) return ok('none in the data folder')
      return ok('only their owner may read them')
    },
  },
  {
    name: 'Built pages',
    judge({ pages_fault }) {
      if (pages_fault === null) return ok('all there')
      return problem(pages_fault, 'npm start, or npx ripper with any command, builds them.')
    },
  },
]

/** Reads the facts for the checks of the machine. Changes nothing. */
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
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    return { path, is_there: false, is_folder: false, may_write: false, writers: null }
  }
  const may_write = mayWrite(path)
  return { path, is_there: true, is_folder: stats.isDirectory(), may_write, writers: writersOf(stats) }
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
