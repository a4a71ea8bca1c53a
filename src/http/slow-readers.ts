// Ends connections whose client does not read its answer, because an unread answer fills the service's memory.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../kernel/world.ts'
import { routeOf } from './fastify.ts'

const looked_every_ms = 5_000
/** Counted from the first check that finds an answer under way: no answer is so large that a slow line needs longer. */
const taken_within_ms = 25_000

type PendingWrite = { socket: Socket; seen_ms: number | null }

/** A client reads its answer within 30 s, or its connection ends. Streams check their readers themselves. */
export function endSlowReaders(app: FastifyInstance, clock: Clock): void {
  const pendingWrites = new Map<ServerResponse, PendingWrite>()
  let watch = new AbortController()

  function enlist(response: ServerResponse, socket: unknown): void {
    // An injected request has no connection.
    if (!(socket instanceof Socket) || response.writableFinished || socket.destroyed) return
    pendingWrites.set(response, { socket, seen_ms: null })
    response.once('close', () => {
      pendingWrites.delete(response)
      if (pendingWrites.size === 0) watch.abort()
    })
    if (pendingWrites.size > 1) return
    watch = new AbortController()
    void look(pendingWrites, clock, watch.signal)
  }

  app.addHook('onSend', (request, reply, _payload, done) => {
    // Nearly every answer is read at once and costs only this check.
    if (!routeOf(request).config.is_stream) setImmediate(enlist, reply.raw, request.raw.socket)
    done()
  })
  app.addHook('onClose', async () => watch.abort())
}

/** Looks at the answers under way until there are none. */
async function look(pendingWrites: Map<ServerResponse, PendingWrite>, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted && pendingWrites.size > 0) {
    await clock.sleep(looked_every_ms, over).catch(() => {})
    const now_ms = clock.now().getTime()
    for (const [response, answer] of pendingWrites) {
      if (answer.socket.destroyed) pendingWrites.delete(response)
      else if (answer.seen_ms === null) answer.seen_ms = now_ms
      else if (now_ms - answer.seen_ms >= taken_within_ms) answer.socket.destroy()
    }
  }
}
