// One connection to the server. Statements go out as they come, and their answers come back in the same order. Once it is lost, each
// statement that was on its way fails, and none is sent any more.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { isConnectionLost } from '../failures.ts'
import { type Preparations, type Rows, RunningStatement } from './running-statement.ts'
import type { Start, Watched } from './silence.ts'
import type { SendableStatement } from './spell.ts'

export type Dialled = { client: pg.Client; socket: Socket }

/** `node` is that of the cell that the statement is for, as `host:port`. */
export type OnStatement = (text: string, node?: string, values?: unknown[]) => void

export type SessionOptions = {
  /** Makes the connection; see dial.ts. */
  dial: () => Promise<Dialled>
  has_names: boolean
  /** How long new statements may be sent over it; null for as long as it lives. */
  lasts_ms: number | null
  /** Left out, there is none, or it is over. */
  start?: Start | undefined
  onStatement?: OnStatement | undefined
  onNotify?: ((channel: string, payload: string) => void) | undefined
  /** Called once statements can go out. */
  onOpen?: (() => void) | undefined
  /** Called once. */
  onClose: () => void
  /** Called when a statement is the first that has no answer. */
  onWait: () => void
  /** Called whenever a statement was answered, or cannot be. */
  onAnswer: () => void
}

type Settlement = { resolve: (rows: Rows) => void; reject: (error: unknown) => void }

const mute_words =
  'it took a connection and answered nothing. Behind a pooler its pool may be full: "PgBouncer" in ' +
  'docs/operations/postgresql.md says how many connections a process needs.'

/** How long a server may take to hear a goodbye. */
const goodbye_ms = 1_000

export class DriverSession implements Watched {
  /** Whether it is set apart for a transaction. */
  is_reserved = false
  count = 0
  is_open = false
  is_watched = true
  looks = 0
  private has_answered = false
  private readonly options: SessionOptions
  private readonly preparations: Preparations
  private readonly unsent: RunningStatement[] = []
  private dialled: Dialled | null = null
  private loss: Error | null = null
  /** Statements that wait for the parameters of an earlier one; null if none must wait. */
  private behind: (() => void)[] | null = null
  private readonly life: AbortSignal | null

  /** Begins to connect. Statements wait for it. */
  constructor(options: SessionOptions) {
    const { dial, has_names, lasts_ms } = options
    this.options = options
    this.life = lasts_ms === null ? null : AbortSignal.timeout(lasts_ms)
    this.preparations = {
      prefix: `r${randomBytes(6).toString('hex')}_`,
      count: 0,
      prepared: new WeakMap(),
      has_names,
      stale_names: [],
      describing: null,
    }
    dial().then(
      (connection) => this.open(connection),
      (error) => this.lose(error),
    )
  }

  /** Rejects with what the server answered, or with the loss of the connection. */
  send(statement: SendableStatement): Promise<Rows> {
    this.options.onStatement?.(statement.text, undefined, statement.values)
    this.count += 1
    if (this.count === 1) {
      this.looks = 0
      this.options.onWait()
    }
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    this.run(statement, {
      resolve: (rows) => {
        this.settle()
        resolve(rows)
      },
      reject: (error) => {
        if (isConnectionLost(error)) this.lose(error)
        this.settle()
        reject(failureOf(error, { loss: this.loss, origin: statement.origin }))
      },
    })
    return promise
  }

  isWornOut(): boolean {
    return this.life?.aborted === true
  }

  get is_mute(): boolean {
    return this.options.start?.is_over === false && this.is_open && !this.has_answered
  }

  giveUp(): void {
    this.lose(this.is_mute ? coded(new Error(mute_words), 'MUTE') : new Error('the server was silent'))
  }

  /** Says goodbye. Statements on their way are lost. Resolves once the connection is closed. */
  async end(): Promise<void> {
    const { dialled, loss, count } = this
    const closure = dialled && !dialled.socket.closed && once(dialled.socket, 'close')
    const says_goodbye = dialled !== null && loss === null && count === 0
    const timer = says_goodbye ? setTimeout(() => dialled.socket.destroy(), goodbye_ms) : undefined
    if (says_goodbye) void dialled.client.end()
    this.lose(coded(new Error('the connection was ended'), 'CONNECTION_DESTROYED'), says_goodbye)
    // An error here is one of a connection that closes anyway.
    await Promise.resolve(closure).catch(() => {})
    clearTimeout(timer)
  }

  private open(connection: Dialled): void {
    const { client, socket } = connection
    if (this.loss !== null) {
      socket.destroy()
      return
    }
    const { onNotify } = this.options
    this.dialled = connection
    client.on('error', (error) => this.lose(error))
    client.on('end', () => this.lose(new Error('the connection was closed')))
    if (socket.destroyed) {
      this.lose(new Error('the connection was closed'))
      return
    }
    client.on('notification', ({ channel, payload }) => onNotify?.(channel, payload ?? ''))
    this.is_open = true
    for (const each of this.unsent.splice(0)) client.query(each as never)
    this.options.onOpen?.()
  }

  private run(statement: SendableStatement, settle: Settlement): void {
    if (this.behind !== null) {
      this.behind.push(() => this.run(statement, settle))
      return
    }
    // The statements of a transaction keep their order, so nothing is sent before one whose parameters must be asked
    // for first.
    const keeps_order = this.is_reserved && statement.form?.parameter_types === null
    if (keeps_order) this.behind = []
    const runningStatement = new RunningStatement(this.preparations, statement, {
      resolve: settle.resolve,
      reject: (error) => {
        settle.reject(error)
        if (keeps_order) this.letGo(() => {})
      },
      described: () => {
        const send = () => this.run(statement, settle)
        if (keeps_order) this.letGo(send)
        else send()
      },
    })
    if (this.loss !== null) runningStatement.handleError(this.loss)
    else if (this.dialled === null) this.unsent.push(runningStatement)
    else this.dialled.client.query(runningStatement as never)
  }

  private letGo(first: () => void): void {
    const behind = this.behind ?? []
    this.behind = null
    for (const send of [first, ...behind]) send()
  }

  private settle(): void {
    if (this.loss === null) this.has_answered = true
    this.count -= 1
    this.looks = 0
    this.options.onAnswer()
  }

  /** `closes_itself`: the server knows, and closes the connection. */
  private lose(error: unknown, closes_itself = false): void {
    if (this.loss !== null) return
    this.loss = lossOf(error)
    this.options.onClose()
    for (const each of this.unsent.splice(0)) each.handleError(this.loss)
    if (!closes_itself) this.dialled?.socket.destroy()
  }
}

const nameForm = /^r[0-9a-f]{12}_\d+$/

/** Whether a prepared statement's name is one that a session gave. */
export function isOfOurs(prepared_name: string): boolean {
  return nameForm.test(prepared_name)
}

/** The driver gives many of its losses no code. */
function lossOf(error: unknown): Error {
  const { code, message } = error as { code?: unknown; message: string }
  if (error instanceof Error && typeof code === 'string') return error
  return coded(new Error(message, { cause: error }), 'CONNECTION_CLOSED')
}

/** Each statement has an error of its own, which says where the statement was written. */
function failureOf(error: unknown, { loss, origin }: { loss: Error | null; origin: string }): unknown {
  if (!(error instanceof Error)) return error
  const own = loss === null ? error : copyOf(loss)
  own.stack += origin.replace(/^.*\n/, '\n')
  return own
}

function copyOf(error: Error): Error {
  return Object.assign(new Error(error.message, { cause: error }), { ...error })
}

function coded(error: Error, code: string): Error {
  return Object.assign(error, { code })
}
