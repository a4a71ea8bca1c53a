// Collects the bytes of bodies as they come, and no more of them than there is memory for.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { routeOf } from './fastify.ts'

/**
 * For all bodies that are on their way at once. Beside the 231 MB that the service takes, and what 10,000 connections
 * do, it leaves room in the 512 MB that it is to have.
 */
export const bodies_bytes_max = 64 * 1024 * 1024

/**
 * So much of each body counts for nothing: hardly one of an honest caller is larger, and those must not be refused because
 * somebody else sends large ones and never ends them.
 */
export const body_bytes_free = 8 * 1024

/** What each piece takes besides its bytes: a body may come as single bytes. */
const piece_bytes = 512

type Done = (error: Error | null, body?: Buffer) => void

/** What the framework calls for each request that has a body. Refuses one that is too large, or finds no room. */
export function openBodies(bytes_max = bodies_bytes_max) {
  let held_bytes = 0

  return (request: FastifyRequest, payload: IncomingMessage, done: Done): void => {
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
