// Runs the product's own programs as a user would: commands in this process, and what is about a process in one of its own.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommand } from '../../src/cli/main.ts'
import { runIn } from '../../src/cli/terminal/terminal.ts'
import type { Json } from './client.ts'
import { realClock } from './world.ts'

const program = resolve(import.meta.dirname, '../../bin/ripper.mjs')

export type ProgramResult = { status: number; stdout: string; stderr: string }

type TerminalPlace = { env?: Record<string, string> }

type ProgramPlace = TerminalPlace & {
  cwd?: string
  /** In a process group of its own. */
  detached?: boolean
}

/** Runs `ripper …` to its end, without a process of its own. */
export function ripper(args: string[], { env = {} }: TerminalPlace = {}): Promise<ProgramResult> {
  return openCommand(args, env).end
}

/** Runs `ripper …` to its end in a process: for what is about the process, or changes it. */
export function ripperProgram(args: string[], where: ProgramPlace = {}): Promise<ProgramResult> {
  return ended(start(process.execPath, [program, ...args], where))
}

type OpenCommand = { stdout: PassThrough; signals: EventEmitter; end: Promise<ProgramResult> }

function openCommand(args: string[], env: Record<string, string>): OpenCommand {
  const [stdout, stderr, signals] = [new PassThrough(), new PassThrough(), new EventEmitter()]
  const [out, err] = [textOf(stdout), textOf(stderr)]
  const environment = environmentOf(env)
  const end = runIn({ environment, stdout, stderr, signals }, async () => {
    const status = await runCommand(args)
    // What was written has been read by then.
    await Promise.all([stdout, stderr].map((stream) => once(stream.end(), 'end')))
    return { status, stdout: out(), stderr: err() }
  })
  return { stdout, signals, end }
}

/** The JSON document of a command that succeeds. */
export async function answer(args: string[], where: TerminalPlace): Promise<Json> {
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
export function talk(args: string[], { env = {} }: TerminalPlace): RunningProgram {
  const { stdout, signals, end } = openCommand(args, env)
  return talkOf(stdout, end, (signal) => signals.emit(signal, signal, constants.signals[signal]))
}

/** The same in a process. */
export function talkProgram(args: string[], where: ProgramPlace): RunningProgram {
  const child = start(process.execPath, [program, ...args], where)
  return talkOf(child.stdout!, ended(child), (signal) => child.kill(signal))
}

/** Starts a shell script that stays; it is stopped with all that it has started. */
export function talkShell(script: string, where: ProgramPlace): RunningProgram {
  const child = start('bash', ['-eu', '-c', forReaders(script)], { ...where, detached: true })
  return talkOf(child.stdout!, ended(child), (signal) => process.kill(-child.pid!, signal))
}

function talkOf(
  stdout: NodeJS.ReadableStream,
  end: Promise<ProgramResult>,
  kill: (signal: NodeJS.Signals) => void,
): RunningProgram {
  const said = textOf(stdout)
  let has_ended = false
  void end.finally(() => {
    has_ended = true
  })
  const hasSaid = (words: string | RegExp) => (typeof words === 'string' ? said().includes(words) : words.test(said()))
  return {
    said,
    says: (words) =>
      new Promise((heard, failed) => {
        const look = () => hasSaid(words) && heard()
        const giveUp = (why: string) => failed(new Error(`${why} before ${words}: ${said()}`))
        stdout.on('data', look)
        void end.then(({ stderr }) => giveUp(`it ended (${stderr})`))
        void realClock.sleep(45_000).then(() => giveUp('45 s have passed'))
        look()
      }),
    async stop(signal = 'SIGINT') {
      if (!has_ended) kill(signal)
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

function start(command: string, args: string[], { env = {}, cwd, detached = false }: ProgramPlace): ChildProcess {
  return spawn(command, args, {
    cwd,
    detached,
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function environmentOf(env: Record<string, string>) {
  // Colours are for terminals, whatever the terminal says that the tests run in.
  return {
    ...process.env,
    FORCE_COLOR: undefined,
    npm_command: undefined,
    RIPPER_LOG_LEVEL: 'error',
    ...env,
  }
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
