// Runs the product's own programs as a user would, each in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Json } from './client.ts'

const program = resolve(import.meta.dirname, '../bin/ripper.mjs')

export type Ended = { status: number; stdout: string; stderr: string }

type Where = { env?: Record<string, string>; cwd?: string }

/** Runs `ripper …` to its end. */
export function ripper(args: string[], where: Where = {}): Promise<Ended> {
  return ended(start(process.execPath, [program, ...args], where))
}

/** The JSON document of a command that succeeds. */
export async function answer(args: string[], where: Where): Promise<Json> {
  const { status, stdout, stderr } = await ripper([...args, '--json'], where)
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Runs a shell script to its end, the service's programs not among its children. */
export function shell(script: string, where: Where = {}): Promise<Ended> {
  return ended(start('bash', ['-eu', '-o', 'pipefail', '-c', script], where))
}

export type Staying = {
  said: Record<string, string>
  pid: number
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts `ripper serve --json`; resolves when it says where it is. */
export function serve(where: Where): Promise<Staying> {
  return stay('serve', where)
}

/** Starts `ripper worker --json`; resolves when it runs. */
export function work(where: Where): Promise<Staying> {
  return stay('worker', where)
}

async function stay(command: string, where: Where): Promise<Staying> {
  const child = start(process.execPath, [program, command, '--json'], where)
  const end = ended(child)
  const said = await Promise.race([
    firstDocument(child),
    end.then(({ stderr }) => {
      throw new Error(`ripper ${command} ended: ${stderr}`)
    }),
  ])
  return {
    said,
    pid: child.pid!,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return end
    },
  }
}

function start(command: string, args: string[], { env = {}, cwd }: Where): ChildProcess {
  return spawn(command, args, {
    cwd,
    env: { ...process.env, RIPPER_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function ended(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr] = [textOf(child.stdout!), textOf(child.stderr!)]
  const [status, signal] = await once(child, 'close')
  return { status: status ?? (signal ? 128 : 0), stdout: stdout(), stderr: stderr() }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.on('data', (part) => {
    text += part
  })
  return () => text
}

/** The first JSON document that a program prints. */
function firstDocument(child: ChildProcess): Promise<Record<string, string>> {
  return new Promise((found) => {
    let text = ''
    child.stdout!.on('data', (part) => {
      text += part
      const end = text.indexOf('\n}\n')
      if (end !== -1) found(JSON.parse(text.slice(text.indexOf('{'), end + 2)))
    })
  })
}
