// The form of a backup: SQL in gzip, which ripper restore reads line by line. Its lines say what it holds,
// and the rows stand between them as COPY writes them.

import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/** The first two lines of a backup are comments, and the second has this. */
export type BackupHead = {
  /** Of the release that wrote it. */
  version: string
  /** The newest migration that the tables have. */
  migration: number
  /** Of the master key that sealed when it was made; null if nothing was ever sealed. */
  key_id: string | null
  made_at: string
}

/** Rows by table. It stands at the end, so a backup that was cut off lacks it. */
export type BackupCounts = Record<string, number>

export const first_line = '-- A backup of Ripper Checkout, form 1: ripper restore reads it.'
export const begin_line = 'begin;'
export const end_line = 'commit;'
export const rows_end = '\\.\n'
const counts_mark = '-- rows: '

export function headLine(head: BackupHead): string {
  return `-- ${JSON.stringify(head)}`
}

export function countsLine(counts: BackupCounts): string {
  return `${counts_mark}${JSON.stringify(counts)}`
}

/** Null for any other line. */
export function countsIn(line: string): BackupCounts | null {
  return line.startsWith(counts_mark) ? JSON.parse(line.slice(counts_mark.length)) : null
}

export function copyLine({ name, columns }: BackupTable): string {
  return `copy ${name} (${columns}) from stdin;`
}

export function partitionLine({ name, parent, bounds }: BackupPartition): string {
  return `create table if not exists ${name} partition of ${parent} ${bounds};`
}

/** A table, and its columns in the order of its rows, as SQL names both. */
export type BackupTable = { name: string; columns: string }

/** A partition that holds the rows of a day. */
export type BackupPartition = { name: string; parent: string; bounds: string }

/** Lines of a backup in any other form are not run. */
export function partitionIn(line: string): BackupPartition | null {
  const match =
    /^create table if not exists ([\w.]+) partition of ([\w.]+) (for values from \('\w+'\) to \('\w+'\));$/i.exec(line)
  return match && { name: match[1]!, parent: match[2]!, bounds: match[3]! }
}

export function copyIn(line: string): BackupTable | null {
  const match = /^copy ([\w.]+) \(([\w, "]+)\) from stdin;$/.exec(line)
  return match && { name: match[1]!, columns: match[2]! }
}

/** Says what is wrong with a file. */
export class BackupFileError extends Error {}

const newline = 10
const line_bytes_max = 1_000_000

/** Reads a backup from its beginning, a line or the rows of a table at a time. */
export class BackupReader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Null at the end. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf(newline)
      if (end >= 0) return this.#take(end + 1).toString('utf8', 0, end)
      if (this.#rest.length > line_bytes_max) throw new BackupFileError('is not a backup')
      if (!(await this.#more())) return null
    }
  }

  /** Whole rows, up to the line that ends them. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#rest.indexOf(rows_end) === 0) {
        this.#take(rows_end.length)
        return
      }
      const end = this.#rest.indexOf(`\n${rows_end}`)
      const whole = end >= 0 ? end : this.#rest.lastIndexOf(newline)
      if (whole >= 0) yield this.#take(whole + 1)
      else if (!(await this.#more())) throw cutOff()
    }
  }

  #take(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next().catch((error: Error) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'Z_BUF_ERROR') throw cutOff()
      if (code?.startsWith('Z_')) throw new BackupFileError('is not a backup, or was damaged')
      throw new BackupFileError(`cannot be read: ${error.message}`)
    })
    if (done) return false
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }
}

export function cutOff(): BackupFileError {
  return new BackupFileError('was cut off: it has no end')
}

/** A backup after its head was read. */
export async function openBackup(path: string): Promise<{ head: BackupHead; reader: BackupReader; close: () => void }> {
  const file = createReadStream(path)
  const gunzip = createGunzip()
  file.once('error', (error) => gunzip.destroy(error))
  const reader = new BackupReader(file.pipe(gunzip))
  const close = () => {
    file.destroy()
    gunzip.destroy()
  }
  try {
    if ((await reader.line()) !== first_line) throw new BackupFileError('is not a backup')
    return { head: headIn(await reader.line()), reader, close }
  } catch (error) {
    close()
    throw error
  }
}

function headIn(line: string | null): BackupHead {
  try {
    return JSON.parse(line!.slice('-- '.length))
  } catch {
    throw new BackupFileError('was damaged: its second line does not say what it holds')
  }
}

/** Rows in a piece of whole rows. COPY escapes the line ends within a row. */
export function rowsIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}
