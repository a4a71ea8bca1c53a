// How far ahead of the answers one connection may ask, and when it has all of them.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** On one connection. */
export const unanswered_max = 16

/** `one_too_many` is to be refused and the connection closed; `not_heard` comes after it and is to be left alone. */
export type Turn = 'heard' | 'one_too_many' | 'not_heard'

const turns = new WeakMap<IncomingMessage, Turn>()

type Line = {
  unanswered: number
  latest: IncomingMessage
  /** See `whenAnswered`. */
  onAnswered: (() => void) | null
}

const lines = new WeakMap<Duplex, Line>()

/** Counts a request when it comes; what was said of it then holds. */
export function turnOf(request: IncomingMessage, response: ServerResponse): Turn {
  const known = turns.get(request)
  if (known) return known
  const turn = takeTurn(request, response)
  turns.set(request, turn)
  return turn
}

/**
 * Node reads on while requests wait for their answers: of a few hundred kilobytes it makes thousands of them at once. So
 * nothing more is read once there is one too many.
 */
function takeTurn(request: IncomingMessage, response: ServerResponse): Turn {
  const { socket } = request
  const line = lineOf(socket, request)
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

function lineOf(socket: Socket, latest: IncomingMessage): Line {
  const known = lines.get(socket)
  if (known) return known
  const line = { unanswered: 0, latest, onAnswered: null }
  lines.set(socket, line)
  return line
}

/** A request whose body breaks off is never answered by itself. */
function isAnswered({ unanswered, latest }: Line): boolean {
  return unanswered === 0 || (unanswered === 1 && !latest.complete)
}

/**
 * Calls back once every whole request of a connection has its answer: at once where none waits. Where somebody is to be
 * called back already, or the connection ends with the last answer that it gets, nobody else is called.
 */
export function whenAnswered(socket: Duplex, callBack: () => void): void {
  const line = lines.get(socket)
  if (!line || isAnswered(line)) callBack()
  else line.onAnswered ??= callBack
}

function stopReading(socket: Socket): void {
  // Whoever reads the body of an earlier request sets the socket going again.
  socket.on('resume', () => socket.pause())
  socket.pause()
}
