// How far ahead of the answers one connection may ask.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** On one connection. */
export const unanswered_max = 16

/** `one_too_many` is to be refused and the connection closed; `not_heard` comes after it and is to be left alone. */
export type Turn = 'heard' | 'one_too_many' | 'not_heard'

const turns = new WeakMap<IncomingMessage, Turn>()
const unanswered = new WeakMap<Socket, number>()

/** Counts a request when it comes; what was said of it then holds. */
export function turnOf(request: IncomingMessage, response: ServerResponse): Turn {
  const known = turns.get(request)
  if (known) return known
  const turn = takeTurn(request.socket, response)
  turns.set(request, turn)
  return turn
}

/**
 * Node reads on while requests wait for their answers: of a few hundred kilobytes it makes thousands of them at once. So
 * nothing more is read once there is one too many.
 */
function takeTurn(socket: Socket, response: ServerResponse): Turn {
  const before = unanswered.get(socket) ?? 0
  if (before > unanswered_max) return 'not_heard'
  unanswered.set(socket, before + 1)
  if (before === unanswered_max) {
    stopReading(socket)
    return 'one_too_many'
  }
  response.once('close', () => {
    const now = unanswered.get(socket)!
    if (now <= unanswered_max) unanswered.set(socket, now - 1)
  })
  return 'heard'
}

function stopReading(socket: Socket): void {
  // Whoever reads the body of an earlier request sets the socket going again.
  socket.on('resume', () => socket.pause())
  socket.pause()
}
