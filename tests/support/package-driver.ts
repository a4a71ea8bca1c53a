// Asks one of the four packages to do something: Node's in this process, the others in a program of theirs that reads a
// line of JSON for each request, and writes one for each answer.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError, RipperError } from '../../sdk/src/errors.ts'
import { Ripper } from '../../sdk/src/ripper.ts'
import { type VerifyOptions, verifyWebhook } from '../../sdk/src/verify-webhook.ts'

export const packages_folder = resolve(import.meta.dirname, '../../sdk')

export type VerifyRequest = {
  body: string
  headers: string | Record<string, string>
  secrets: string[]
  now: number
  tolerance: number
}

export type CallRequest = {
  base_url: string
  secret_key: string
  retries_max: number
  timeout_ms: number
  call: string
  args: unknown[]
  idempotency_key?: string
  /** Capture no more than this. */
  amount?: number | undefined
  /** Read every row of every page. */
  rows?: boolean
}

export type DriverAnswer = {
  /** An event, or what a call returned; rows of all pages. */
  value?: unknown
  error?: Record<string, unknown> & { kind: string; code: string; text?: string }
  /** What was waited for before each retry, in ms. */
  waits?: number[]
}

export type Driver = {
  ask(request: { verify: VerifyRequest } | { send: CallRequest }): Promise<DriverAnswer>
  close(): void
}

type Language = {
  name: string
  /** Why it cannot be tried here; null if it can. */
  missing: string | null
  open(): Driver
}

export const node: Language = { name: '@ripper/node', missing: null, open: () => ({ ask: askNode, close: () => {} }) }

export const python: Language = {
  name: 'Python',
  missing: missing('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], '3.9 or later'),
  open: () => program('python3', ['tests/drive.py'], 'python', { PYTHONDONTWRITEBYTECODE: '1' }),
}

export const php: Language = {
  name: 'PHP',
  missing: missing(
    'php',
    ['-r', 'exit(PHP_VERSION_ID < 80100 || !extension_loaded("curl") ? 1 : 0);'],
    '8.1 or later, with curl',
  ),
  open: () => program('php', ['tests/drive.php'], 'php'),
}

export const go: Language = {
  name: 'Go',
  // A tool that is too old would first fetch a newer one.
  missing: missing('go', ['-C', join(packages_folder, 'go'), 'list', './...'], '1.24 or later'),
  open() {
    const place = mkdtempSync(join(tmpdir(), 'ripper-go-'))
    const building = ['build', '-o', join(place, 'drive'), './internal/drive']
    const { status, stderr } = spawnSync('go', building, { cwd: join(packages_folder, 'go'), encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    const driver = program(join(place, 'drive'), [], 'go')
    return {
      ...driver,
      close() {
        driver.close()
        rmSync(place, { recursive: true })
      },
    }
  },
}

function missing(command: string, args: string[], needed: string): string | null {
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0 ? null : `needs ${command} ${needed}`
}

function program(command: string, args: string[], folder: string, env: Record<string, string> = {}): Driver {
  const child: ChildProcess = spawn(command, args, {
    cwd: join(packages_folder, folder),
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: ((line: string | null) => void)[] = []
  createInterface({ input: child.stdout! })
    .on('line', (line) => waiting.shift()?.(line))
    .on('close', () => {
      for (const each of waiting.splice(0)) each(null)
    })
  return {
    async ask(request) {
      const line = await new Promise<string | null>((answer) => {
        waiting.push(answer)
        child.stdin!.write(`${JSON.stringify(request)}\n`)
      })
      if (line === null) throw new Error(`${command} ended`)
      return JSON.parse(line)
    },
    close: () => child.stdin!.end(),
  }
}

async function askNode(request: Parameters<Driver['ask']>[0]): Promise<DriverAnswer> {
  const waits: number[] = []
  try {
    const value = 'verify' in request ? verify(request.verify) : await send(request.send, waits)
    return { value: value ?? null, waits }
  } catch (error) {
    if (!(error instanceof RipperError)) throw error
    const of_api = error instanceof ApiError ? error.toJSON() : {}
    const { idempotency_key = null } = error as { idempotency_key?: string | null }
    const text = `${error.stack} ${JSON.stringify(error)}`
    return { error: { ...of_api, kind: error.name, code: error.code, idempotency_key, text }, waits }
  }
}

function verify({ body, headers, secrets, now, tolerance }: VerifyRequest): unknown {
  const options: VerifyOptions = { now: new Date(now * 1000), tolerance }
  return verifyWebhook(body, headers, secrets, options)
}

async function send(request: CallRequest, waits: number[]): Promise<unknown> {
  const { base_url, secret_key, retries_max, timeout_ms, idempotency_key, amount } = request
  const sleep = async (duration_ms: number) => {
    waits.push(duration_ms)
  }
  const ripper = new Ripper(secret_key, { base_url, retries_max, timeout_ms, sleep })
  const [name, ...path] = request.call.split('.').reverse()
  // biome-ignore lint/suspicious/noExplicitAny: a method by its name.
  const owner: any = path.reverse().reduce((each: any, part) => each[part], ripper)
  const given = { ...(idempotency_key !== undefined && { idempotency_key }), ...(amount !== undefined && { amount }) }
  const options = Object.keys(given).length === 0 ? [] : [given]
  const answer = owner[name!](...request.args, ...options)
  if (!request.rows) return answer
  const rows = []
  for await (const row of answer) rows.push(row)
  return rows
}
