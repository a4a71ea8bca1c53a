// A library at work: a process in its language that makes the calls it is sent, a line of JSON each.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

// biome-ignore lint/suspicious/noExplicitAny: libraries give objects of every shape.
export type Json = any

/** A call as every language understands it: `payment_intents.create`. */
export type Step = {
  call: string
  id?: string
  params?: Json
  options?: { idempotency_key?: string; stripe_account?: string }
  /** The secret key. */
  key?: string
}

/** What a library raised: its class in that language, and what it says of the refusal. */
export type Failure = {
  class: string
  code?: string | null
  param?: string | null
  status?: number | null
  type?: string | null
  message: string
  request_id?: string | null
}

export type Answer = { object: Json } | { error: Failure }

export type Driver = {
  make(step: Step): Promise<Answer>
  close(): Promise<void>
}

/** Longer than any library waits between its tries. */
const patience_ms = 60_000

export function startDriver([program, ...args]: string[], environment: Record<string, string> = {}): Driver {
  const child = spawn(program!, args, { env: { ...process.env, ...environment }, stdio: 'pipe' })
  const ended = once(child, 'close').catch(() => [])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last_words = ''
  child.stderr.on('data', (part) => {
    last_words = (last_words + part).slice(-2_000)
  })
  child.stdin.on('error', () => {})
  return {
    async make(step) {
      child.stdin.write(`${JSON.stringify(step)}\n`)
      const timer = setTimeout(() => child.kill('SIGKILL'), patience_ms)
      const { value, done } = await lines.next()
      clearTimeout(timer)
      if (done) throw new Error(`the driver ended at ${step.call}: ${last_words.trim().split('\n')[0]}`)
      return JSON.parse(value)
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
