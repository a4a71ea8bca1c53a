// One request and its whole answer, by undici's dispatcher. Its `request` would make a stream of each answer, with
// listeners and functions that outlive it.

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { AnswerTooLong, type TextAnswer } from '../kernel/world.ts'

export type ExchangeRequest = {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  body: string | null
  answer_bytes_max: number
  /** Ends it at once; the unsent rest is never sent. */
  signal: AbortSignal
  /** Called when a connection is open and writing comes next. If it throws, nothing is written. */
  onFirstByte?(): void
}

export type ExchangeAnswer = Omit<TextAnswer, 'body'> & { body: Buffer }

/** Rejects with the error of undici, the signal or `onFirstByte`, and if the answer is too long. */
export function exchange(
  dispatcher: Dispatcher,
  { url, method, headers, body, ...rules }: ExchangeRequest,
): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url)
    const options = { origin, path: pathname + search, method, headers, body }
    dispatcher.dispatch(options, new Exchange(rules, resolve, reject))
  })
}

type Rules = Pick<ExchangeRequest, 'answer_bytes_max' | 'signal' | 'onFirstByte'>
type Controller = Dispatcher.DispatchController
type Headers = Record<string, string | string[] | undefined>

class Exchange implements Dispatcher.DispatchHandler {
  private controller: Controller | null = null
  private status = 0
  private headers: Headers = {}
  private readonly parts: Buffer[] = []
  private length = 0
  private readonly rules: Rules
  private readonly resolve: (answer: ExchangeAnswer) => void
  private readonly reject: (error: unknown) => void

  constructor(rules: Rules, resolve: Exchange['resolve'], reject: Exchange['reject']) {
    this.rules = rules
    this.resolve = resolve
    this.reject = reject
    rules.signal.addEventListener('abort', this)
  }

  /** The signal was aborted. */
  handleEvent(): void {
    const { reason } = this.rules.signal
    this.controller?.abort(reason)
    this.fail(reason)
  }

  onRequestStart(controller: Controller): void {
    const { signal, onFirstByte } = this.rules
    this.controller = controller
    if (signal.aborted) controller.abort(signal.reason)
    else onFirstByte?.()
  }

  onResponseStart(_: Controller, status: number, headers: Headers): void {
    // Lower statuses precede the answer.
    if (status < 200) return
    this.status = status
    this.headers = headers
  }

  onResponseData(controller: Controller, part: Buffer): void {
    this.length += part.length
    if (this.length > this.rules.answer_bytes_max) {
      controller.abort(new AnswerTooLong())
    } else this.parts.push(part)
  }

  onResponseEnd(): void {
    this.rules.signal.removeEventListener('abort', this)
    const { status, parts } = this
    const headers = Object.fromEntries(
      Object.entries(this.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    )
    this.resolve({ status, headers, body: Buffer.concat(parts) })
  }

  onResponseError(_: Controller, error: Error): void {
    this.fail(error)
  }

  private fail(error: unknown): void {
    this.rules.signal.removeEventListener('abort', this)
    this.reject(error)
  }
}

const unpackers = { br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync }

/** Throws AnswerTooLong if the decoded answer is longer than allowed. */
export function unpacked(bytes: Buffer, encoding: string | undefined, max_output_length: number): Buffer {
  if (!encoding || encoding === 'identity' || bytes.length === 0) return bytes
  if (!Object.hasOwn(unpackers, encoding)) throw new Error(`an answer encoded as ${encoding}`)
  try {
    const unpack = unpackers[encoding as keyof typeof unpackers]
    return unpack(bytes, { maxOutputLength: max_output_length })
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? new AnswerTooLong() : error
  }
}
