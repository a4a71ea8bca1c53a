// How many requests one connection may have unanswered, and when all of them are answered.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** On one connection. */
export const unanswered_max = 16

/** `one_too_many` is refused and the connection closed; a `not_heard` request comes after it and gets no answer. */
export type Admission = 'heard' | 'one_too_many' | 'not_heard'

const admissions = new WeakMap<IncomingMessage, Admission>()

type Pipeline = {
  unanswered: number
  latest: IncomingMessage
  /** See `whenAnswered`. */
  onAnswered: (() => void) | null
}

const pipelines = new WeakMap<Duplex, Pipeline>()

/** Counts a request when it arrives; the decision about it then stays. */
export function admissionOf(request: IncomingMessage, response: ServerResponse): Admission {
  const admission = admissions.get(request)
  if (admission) return admission
  const turn = admit(request, response)
  admissions.set(request, turn)
  return turn
}

/** The connection's parser in Node. It is not documented, so a test checks it. */
type Parser = { onIncoming(request: IncomingMessage, is_kept_alive: boolean): number }

/** Tells the parser that another protocol follows, so that it leaves the rest of the read bytes alone. */
const leave_the_rest = 2

/**
 * The parser turns one read into requests, perhaps thousands of them, before any is answered. It stops once there is
 * one too many.
 */
export function boundPipelines(server: Server): void {
  server.on('connection', (socket: Socket & { parser: Parser | null }) => {
    const { parser } = socket
    if (!parser) return
    const take = parser.onIncoming
    function takeUnlessFull(request: IncomingMessage, is_kept_alive: boolean): number {
      return isFull(socket) ? leave_the_rest : take(request, is_kept_alive)
    }
    parser.onIncoming = takeUnlessFull
  })
}

function isFull(socket: Socket): boolean {
  const line = pipelines.get(socket)
  return line !== undefined && line.unanswered > unanswered_max
}

/** Once there is one too many, nothing more is read either. */
function admit(request: IncomingMessage, response: ServerResponse): Admission {
  const { socket } = request
  const line = pipelineOf(socket, request)
  if (line.unanswered > unanswered_max) return 'not_heard'
  line.unanswered += 1
  line.latest = request
  if (line.unanswered > unanswered_max) {
    stopReading(socket)
    return 'one_too_many'
  }
  response.once('close', () => {
    if (line.unanswered > unanswered_max) return
    line.unanswered -= 1
    if (line.onAnswered && isAnswered(line)) line.onAnswered()
  })
  return 'heard'
}

function pipelineOf(socket: Socket, latest: IncomingMessage): Pipeline {
  const pipeline = pipelines.get(socket)
  if (pipeline) return pipeline
  const line = { unanswered: 0, latest, onAnswered: null }
  pipelines.set(socket, line)
  return line
}

/** A request whose body breaks off gets no answer of its own. */
function isAnswered({ unanswered, latest }: Pipeline): boolean {
  return unanswered === 0 || (unanswered === 1 && !latest.complete)
}

/**
 * Calls back once every whole request of a connection has its answer: at once if none waits. Only the first callback of
 * a connection is kept, and none is called if the connection ends with its last answer.
 */
export function whenAnswered(socket: Duplex, callBack: () => void): void {
  const line = pipelines.get(socket)
  if (!line || isAnswered(line)) callBack()
  else line.onAnswered ??= callBack
}

function stopReading(socket: Socket): void {
  // A reader of an earlier request's body resumes the socket.
  socket.on('resume', () => socket.pause())
  socket.pause()
}
