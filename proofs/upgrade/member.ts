// A process of one release, and what it says of itself while it runs.

import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Release } from './release.ts'

export type Command = 'serve' | 'worker'

export type Member = {
  name: string
  release: Release
  command: Command
  /** Null for a worker. */
  base_url: string | null
  /** Its status, or the signal that ended it. */
  ended: Promise<string>
  /** Returns how it ended. */
  stop(signal: NodeJS.Signals): Promise<string>
}

export type Place = {
  env: Record<string, string>
  log_file: string
  /** What processes logged as an error, with how often. */
  errors: Map<string, number>
}

/** Starts one and waits until it runs. Returns its last words where it ended instead. */
export async function startMember(release: Release, command: Command, place: Place): Promise<Member | string> {
  const child = spawn(process.execPath, [join(release.root, 'bin/ripper.mjs'), command, '--json'], {
    env: { ...process.env, ...place.env },
    cwd: release.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const name = `the ${release.name} ${command}`
  const ended = new Promise<string>((closed) => {
    child.once('close', (status, signal) => closed(signal ?? String(status)))
    child.once('error', ({ message }) => closed(message))
  })
  const { said, last_words } = listenTo(child, name, place)
  const document = await Promise.race([said, ended.then(() => null)])
  if (document === null) return last_words()
  return {
    name,
    release,
    command,
    base_url: document.base_url ?? null,
    ended,
    stop(signal) {
      child.kill(signal)
      return ended
    },
  }
}

function listenTo(child: ChildProcess, name: string, { log_file, errors }: Place) {
  const { promise: said, resolve } = Promise.withResolvers<{ base_url?: string }>()
  const log = createWriteStream(log_file, { flags: 'a' })
  let text = ''
  let stderr = ''
  let rest = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-8_000)
    const found = /^\{\n[\s\S]*?\n\}$/m.exec(text)
    if (found) resolve(JSON.parse(found[0]))
    const lines = (rest + part).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      log.write(`${name}: ${line}\n`)
      const error = errorIn(line)
      if (error === null) continue
      const told = `${name} logged ${error}`
      errors.set(told, (errors.get(told) ?? 0) + 1)
    }
  })
  child.stderr!.setEncoding('utf8').on('data', (part: string) => {
    stderr += part
    log.write(part)
  })
  child.once('close', () => log.end())
  return { said, last_words: () => stderr.trim() }
}

/** What a line of the log tells as an error; null where it does not. */
function errorIn(line: string): string | null {
  if (!line.startsWith('{"level":50')) return null
  const { msg, job, route, code, error } = JSON.parse(line)
  return [msg, job, route, code, error].filter(Boolean).join(', ')
}
