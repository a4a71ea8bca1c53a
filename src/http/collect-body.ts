// Collects the bytes of bodies as they arrive, within a limit on memory.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { routeOf } from './fastify.ts'

/**
 * For all bodies that are arriving. Beside the 231 MB of the service and the memory of 10,000 connections, it fits into
 * the 512 MB that the service should have.
 */
export const bodies_bytes_max = 64 * 1024 * 1024

/**
 * This much of each body is not counted. Hardly any honest body is larger, and those must not be refused because
 * somebody sends large ones and never ends them.
 */
export const body_bytes_free = 8 * 1024

/** The overhead of each piece: a body may arrive in single bytes. */
const piece_bytes = 512

type BodyCallback = (error: Error | null, body?: Buffer) => void

/** The framework calls this for each request with a body. Refuses a body that is too large or finds no room. */
export function openBodies(bytes_max = bodies_bytes_max) {
  let held_bytes = 0

  return (request: FastifyRequest, payload: IncomingMessage, done: BodyCallback): void => {
    const limit = routeOf(request).bodyLimit
    if (Number(request.headers['content-length']) > limit) {
      done(tooLarge(limit))
      return
    }
    const pieces: Buffer[] = []
    let length = 0
    let counted_bytes = 0

    function end(error: Error | null, body?: Buffer): void {
      payload.off('data', take).off('end', whole).off('error', end)
      held_bytes -= counted_bytes
      done(error, body)
    }

    function take(piece: Buffer): void {
      pieces.push(piece)
      length += piece.length
      const counts_bytes = Math.max(0, length + pieces.length * piece_bytes - body_bytes_free)
      held_bytes += counts_bytes - counted_bytes
      counted_bytes = counts_bytes
      if (length > limit) end(tooLarge(limit))
      else if (held_bytes > bytes_max && counts_bytes > 0) end(noRoom())
    }

    const whole = () => end(null, Buffer.concat(pieces, length))
    payload.on('data', take).on('end', whole).on('error', end)
  }
}

function tooLarge(limit: number): Refusal {
  const message = `The body is larger than ${limit / 1024} KB.`
  return new Refusal('invalid_request', message, { status: 413 })
}

function noRoom(): Refusal {
  const words = 'Too many large bodies are being sent at once, so that this one was not read.'
  return new Refusal('store_unavailable', `${words} Nothing was done. Send the request again.`)
}
