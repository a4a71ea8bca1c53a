// Speaks HTTP as bytes over a socket: what a well-behaved client would never send, and whatever comes back.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type Answer = {
  status: number
  headers: [name: string, value: string][]
  body: Buffer
}

/** `answers` without the interim ones; `ended` is how the connection was left by the other side. */
export type Exchange = {
  answers: Answer[]
  ended: 'open' | 'closed' | 'reset'
  /** Bytes after the last whole answer. */
  rest: Buffer
  took_ms: number
}

export type Sending = {
  /** Sent one after the other, with a pause between. */
  pieces: Buffer[]
  pause_ms?: number
  /** For how many answers it waits. */
  answers: number
  /** Waits for so long at most. */
  patience_ms: number
  /** Answers to it have no body. */
  is_head?: boolean
  /** Says after the last piece that no more will come. */
  half_close?: boolean
  /** What follows on the connection could be taken for more of this. */
  is_last?: boolean
}

export type Line = { send(sending: Sending): Promise<Exchange>; close(): void }

/** A client with one connection, which it keeps for as long as both sides like. */
export function openLine(port: number): Line {
  let kept: Socket | null = null
  return {
    async send(sending) {
      const socket = kept?.writable && kept.readable ? kept : await dial(port)
      kept = null
      const exchange = await converse(socket, sending)
      const last = exchange.answers.at(-1)
      const reusable =
        exchange.ended === 'open' &&
        exchange.answers.length === sending.answers &&
        exchange.rest.length === 0 &&
        !sending.half_close &&
        !sending.is_last &&
        last !== undefined &&
        headerOf(last, 'connection') !== 'close'
      if (reusable) kept = socket
      else socket.destroy()
      return exchange
    },
    close: () => kept?.destroy(),
  }
}

export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string | null {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? null
}

function dial(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }, () => {
    resolve(socket)
  })
  // Stays, so that no late error of a socket goes unheard.
  socket.on('error', reject)
  return promise
}

async function converse(socket: Socket, sending: Sending): Promise<Exchange> {
  const started = performance.now()
  const { promise: over, resolve: stop } = Promise.withResolvers<void>()
  const answers: Answer[] = []
  let ended: Exchange['ended'] = 'open'
  let rest: Buffer = Buffer.alloc(0)
  const look = () => {
    for (;;) {
      const taken = takeAnswer(rest, { is_head: sending.is_head === true, ended: ended !== 'open' })
      if (!taken) break
      rest = taken.rest
      if (taken.answer.status >= 200) answers.push(taken.answer)
    }
    if (answers.length >= sending.answers || ended !== 'open') stop()
  }
  const onData = (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    look()
  }
  const leave = (how: 'closed' | 'reset') => () => {
    if (ended === 'open') ended = how
    look()
  }
  const onEnd = leave('closed')
  const onError = leave('reset')
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError)
  const giveUp = new AbortController()
  const late = pause(sending.patience_ms, undefined, { signal: giveUp.signal }).catch(() => {})
  await Promise.race([Promise.all([write(socket, sending), over]), over, late])
  giveUp.abort()
  socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError)
  return { answers, ended, rest, took_ms: performance.now() - started }
}

async function write(socket: Socket, { pieces, pause_ms = 0, half_close }: Sending): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && pause_ms > 0) await pause(pause_ms)
    if (!socket.writable) return
    socket.write(piece)
  }
  if (half_close) socket.end()
}

/** The first whole answer of what came; null where more is to come. */
export function takeAnswer(
  bytes: Buffer,
  how: { is_head: boolean; ended: boolean },
): { answer: Answer; rest: Buffer } | null {
  const head_end = bytes.indexOf('\r\n\r\n')
  if (head_end < 0) return null
  const [first, ...lines] = bytes.toString('latin1', 0, head_end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(first!)?.[1])
  if (!status) throw new Error(`this is no answer of HTTP/1: ${first!.slice(0, 80)}`)
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    return [line.slice(0, at), line.slice(at + 1).trim()]
  })
  const after = bytes.subarray(head_end + 4)
  const whole = (body: Buffer, used: number) => ({
    answer: { status, headers, body },
    rest: after.subarray(used),
  })
  if (how.is_head || status < 200 || status === 204 || status === 304) return whole(empty, 0)
  // A stream has no end: its head tells that it was opened.
  if (headerOf({ headers }, 'content-type')?.startsWith('text/event-stream')) {
    return whole(after, after.length)
  }
  const length = headerOf({ headers }, 'content-length')
  if (length !== null) {
    const size = Number(length)
    return after.length < size ? null : whole(after.subarray(0, size), size)
  }
  if (headerOf({ headers }, 'transfer-encoding') === 'chunked') {
    const body = takeChunks(after)
    return body && whole(body.content, body.used)
  }
  return how.ended ? whole(after, after.length) : null
}

const empty = Buffer.alloc(0)

function takeChunks(bytes: Buffer): { content: Buffer; used: number } | null {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const line_end = bytes.indexOf('\r\n', at)
    if (line_end < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, line_end), 16)
    const begin = line_end + 2
    if (bytes.length < begin + size + 2) return null
    at = begin + size + 2
    if (size === 0) return { content: Buffer.concat(chunks), used: at }
    chunks.push(bytes.subarray(begin, begin + size))
  }
}
