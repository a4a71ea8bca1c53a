// What a process remembers about the database: in memory, and in a file of the data folder for the next process.

import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDataFolder } from '../../config/data-folder.ts'
import { isOthers, readFile, replaceFile } from '../../config/owner.ts'
import type { Log, Random } from '../../kernel/world.ts'
import { msBetween, type RememberedMark } from './high-water.ts'

export type MarkMemory = {
  /** The newest mark that was seen committed; null if there is none. */
  recall(): RememberedMark | null
  remember(mark: RememberedMark): Promise<void>
}

/** The file is rewritten once the mark is this much newer than the last one in it. */
const file_every_ms = 60_000

/**
 * The memory of a process that serves the database of this installation. If the folder was used with another database
 * or cannot be written to, the memory has only what this process has seen.
 */
export function openMarkMemory(
  { data_dir, installation, node = null }: MarkPlace & { installation: string },
  { log, random }: { log: Log; random: Random },
): MarkMemory {
  const file = markFile({ data_dir, node })
  let memory = readMarks(file, installation)
  let inFile = memory
  let has_failed = false
  return {
    recall: () => memory,
    async remember(mark) {
      memory = mark
      if (inFile && msBetween(inFile.written_at, mark.written_at) < file_every_ms) return
      inFile = mark
      try {
        makeDataFolder(data_dir)
        await write(file, random.bytes(6).toString('hex'), { installation, ...mark })
      } catch (error) {
        if (!has_failed) log.warn({ error: (error as Error).message }, 'high-water mark not kept')
        has_failed = true
      }
    },
  }
}

/** Null if there is no mark of this installation. */
export function readMarkFile(data_dir: string, installation: string): RememberedMark | null {
  return readMarks(markFile({ data_dir }), installation)
}

function readMarks(file: string, installation: string): RememberedMark | null {
  try {
    const { written_at, ...record } = JSON.parse(readFile(file))
    const { epoch, mark, system_identifier, timeline, database } = record
    const at = new Date(written_at)
    if (record.installation !== installation || !Number.isSafeInteger(epoch)) return null
    if (typeof mark !== 'string' || Number.isNaN(at.getTime())) return null
    // A file of before has no database's name.
    const seen_in = typeof database === 'string' ? database : null
    return { epoch, mark, written_at: at, system_identifier, timeline, database: seen_in }
  } catch {
    return null
  }
}

/** `node`: `host:port` of one of the servers of a database that is spread. */
type MarkPlace = { data_dir: string; node?: string | null }

function markFile({ data_dir, node = null }: MarkPlace): string {
  const of = node === null ? '' : `-${node.replaceAll(/[^\w.-]/g, '-')}`
  return join(data_dir, `high-water${of}.json`)
}

/** Writes the file completely or not at all, even if another process writes it at the same time. */
async function write(file: string, name: string, content: object): Promise<void> {
  const text = `${JSON.stringify(content)}\n`
  // With another user's rights nothing may wait.
  if (isOthers(dirname(file))) return replaceFile(file, text)
  const draft = `${file}.${name}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
