// A crowd of worker processes that are killed without warning, each followed by another, as a supervisor would see to.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'

const program = fileURLToPath(new URL('fixtures/webhook-worker.ts', import.meta.url))

export type Workers = {
  /** Kills the one that has worked for the longest; false where none works yet. */
  killOldest(): boolean
  /** What workers said that ended by themselves after they had begun to work. */
  fallen: string[]
  /** Ends all in order. */
  stop(): Promise<void>
}

export function startWorkers(count: number, env: Record<string, string>, settings: DeliverySettings): Workers {
  const all = new Set<ChildProcess>()
  const working = new Set<ChildProcess>()
  const fallen: string[] = []
  let stopping = false

  function start(): void {
    const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let said = ''
    const hear = (part: Buffer) => {
      const wasReady = said.includes('ready\n')
      said += part
      if (!wasReady && said.includes('ready\n')) working.add(child)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    all.add(child)
    child.once('exit', (_status, signal) => {
      all.delete(child)
      // One that comes while the database is away may give up, as long as it has begun nothing.
      if (working.delete(child) && signal !== 'SIGKILL') fallen.push(said)
      if (!stopping) start()
    })
  }

  for (let index = 0; index < count; index += 1) start()
  return {
    killOldest() {
      const [oldest] = working
      if (!oldest) return false
      working.delete(oldest)
      return oldest.kill('SIGKILL')
    },
    fallen,
    async stop() {
      stopping = true
      working.clear()
      const ended = [...all].map((child) => once(child, 'exit'))
      for (const { stdin } of all) stdin!.end()
      await Promise.all(ended)
    },
  }
}
