// Runs the product's own programs as a user would, each in a process of its own.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Json } from './client.ts'
import { realClock } from './world.ts'

const program = resolve(import.meta.dirname, '../../bin/ripper.mjs')

export type ProgramResult = { status: number; stdout: string; stderr: string }

type ProgramPlace = {
  env?: Record<string, string>
  cwd?: string
  /** In a process group of its own. */
  detached?: boolean
}

/** Runs `ripper …` to its end. */
export function ripper(args: string[], where: ProgramPlace = {}): Promise<ProgramResult> {
  return ended(start(process.execPath, [program, ...args], where))
}

/** The JSON document of a command that succeeds. */
export async function answer(args: string[], where: ProgramPlace): Promise<Json> {
  const { status, stdout, stderr } = await ripper([...args, '--json'], where)
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Runs a program of this repository that is no command of ours to its end. */
export function runFile(file: string, args: string[]): Promise<ProgramResult> {
  return ended(start(process.execPath, [file, ...args], {}))
}

/** Runs a shell script to its end, the service's programs not among its children. */
export function shell(script: string, where: ProgramPlace = {}): Promise<ProgramResult> {
  return ended(start('bash', ['-eu', '-o', 'pipefail', '-c', forReaders(script)], where))
}

/** Whether this system has `curl`, which the README and the guides call. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0

/** A shell's function that stands in for it. */
export const curlStandIn = `
curl() { '${process.execPath}' '${resolve(import.meta.dirname, 'curl.mjs')}' "$@"; }
`

function forReaders(script: string): string {
  return hasCurl ? script : curlStandIn + script
}

export type Staying = {
  said: Record<string, string>
  pid: number
  /** `warned` is what it says to whoever runs it as root, as tests often do, and stands in `stderr` no more. */
  stop(signal?: NodeJS.Signals): Promise<ProgramResult & { warned: string }>
}

/** Starts `ripper serve --json`; resolves when it says where it is. */
export function serve(where: ProgramPlace, ripper = program): Promise<Staying> {
  return stay('serve', where, ripper)
}

/** Starts `ripper worker --json`; resolves when it runs. */
export function work(where: ProgramPlace): Promise<Staying> {
  return stay('worker', where, program)
}

export type RunningProgram = {
  /** All that it has printed. */
  said(): string
  /** Waits until it has printed the words, for up to 20 s. */
  says(words: string | RegExp): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<ProgramResult>
}

/** Starts `ripper …`, one that stays and tells of what happens. */
export function talk(args: string[], where: ProgramPlace): RunningProgram {
  const child = start(process.execPath, [program, ...args], where)
  return talkOf(child, (signal) => child.kill(signal))
}

/** Starts a shell script that stays; it is stopped with all that it has started. */
export function talkShell(script: string, where: ProgramPlace): RunningProgram {
  const child = start('bash', ['-eu', '-c', forReaders(script)], { ...where, detached: true })
  return talkOf(child, (signal) => process.kill(-child.pid!, signal))
}

function talkOf(child: ChildProcess, kill: (signal: NodeJS.Signals) => void): RunningProgram {
  const said = textOf(child.stdout!)
  const end = ended(child)
  const hasSaid = (words: string | RegExp) =>
    typeof words === 'string' ? said().includes(words) : words.test(said())
  return {
    said,
    says: (words) =>
      new Promise((heard, failed) => {
        const look = () => hasSaid(words) && heard()
        const giveUp = (why: string) => failed(new Error(`${why} before ${words}: ${said()}`))
        child.stdout!.on('data', look)
        void end.then(({ stderr }) => giveUp(`it ended (${stderr})`))
        void realClock.sleep(45_000).then(() => giveUp('45 s have passed'))
        look()
      }),
    async stop(signal = 'SIGINT') {
      if (child.exitCode === null && child.signalCode === null) kill(signal)
      return end
    },
  }
}

async function stay(command: string, where: ProgramPlace, ripper: string): Promise<Staying> {
  const child = start(process.execPath, [ripper, command, '--json'], where)
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
      const { stderr, ...rest } = await end
      const [, warned = '', others] = /^(WARNING: .* as root\b.*\n)?([\s\S]*)$/.exec(stderr)!
      return { ...rest, stderr: others!, warned }
    },
  }
}

function start(
  command: string,
  args: string[],
  { env = {}, cwd, detached = false }: ProgramPlace,
): ChildProcess {
  return spawn(command, args, {
    cwd,
    detached,
    // Colours are for terminals, whatever the terminal says that the tests run in.
    env: { ...process.env, FORCE_COLOR: undefined, RIPPER_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function ended(child: ChildProcess): Promise<ProgramResult> {
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

/** The first JSON document that a program prints; lines of the log may come before it. */
function firstDocument(child: ChildProcess): Promise<Record<string, string>> {
  return new Promise((found) => {
    let text = ''
    child.stdout!.on('data', (part) => {
      text += part
      const end = text.indexOf('\n}\n')
      if (end !== -1) found(JSON.parse(text.slice(text.indexOf('{\n'), end + 2)))
    })
  })
}
