// Mounts streams on the server: opens them, keeps them alive, and ends them in time.

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Bell, openBell } from '../kernel/bell.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Clock, World } from '../kernel/world.ts'
import type { AccessRequest, SecretKey } from './access.ts'
import { accessRequestOf } from './access-request.ts'
import { callerOf } from './caller.ts'
import { configOf } from './fastify.ts'
import type { Metrics } from './metrics.ts'
import { constraintsOf } from './mount.ts'
import { type Kernel, kernelOf } from './run-route.ts'
import { type Feed, frame, heartbeat, type Seats, type Stream, type StreamMessage } from './stream.ts'
import type { StreamSeats } from './stream-seats.ts'
import { openStreamSlots, type StreamSlots, slots_per_merchant_max, tooManyOf } from './stream-slots.ts'
import { applyLimit } from './use-limit.ts'
import { validate } from './validate.ts'

const heartbeat_ms = 15_000
/**
 * How often the caller's key is checked again while there are no messages: a stream may outlive its key by this time.
 */
const judged_every_ms = 20_000
/** A reader that takes nothing for this long is disconnected. It may resume from the id of the last message. */
const stuck_max_ms = 60_000
/** How long a reader has to take the last messages when the stream ends. */
const end_grace_ms = 1_000
/** The pause between reads: many rings cause one read, and a stream with many messages leaves room for others. */
const rest_ms = 20
const buffer_bytes = 16 * 1024

type StreamKernel<Context> = Kernel<Context> & {
  metrics: Pick<Metrics, 'streamsOpen'>
  /** Counts seats in all processes; left out, in this one alone. */
  streamSeats?: StreamSeats | undefined
}

export function mountStreams<Context>(
  app: FastifyInstance,
  streams: Stream<Context>[],
  kernel: StreamKernel<Context>,
): void {
  const slots = openStreamSlots()
  const open = new Set<() => void>()
  // Otherwise the server would wait for its listeners for ever.
  app.addHook('preClose', async () => {
    for (const stop of [...open]) stop()
  })
  for (const stream of streams) {
    app.route({
      method: stream.method,
      url: stream.path,
      exposeHeadRoute: false,
      constraints: constraintsOf(stream.access),
      config: { ...configOf(stream.dialect), is_stream: true },
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const accessRequest = accessRequestOf(kernel, request, { caller })
        const holder = await admitted(stream, accessRequest, { reply, kernel })
        const only_mode = stream.access.onlyMode?.(holder) ?? null
        const query = validate(stream.query, request.query)
        const now = kernel.world.clock.now()
        const { context } = await kernelOf(kernel, holder.merchant_id)
        const leave = await takeSeat(slots, kernel.streamSeats, seatsOf(stream, holder))
        const feed = await stream.open(context, { holder, query, caller, now, only_mode }).catch((error: unknown) => {
          leave()
          throw error
        })
        kernel.metrics.streamsOpen(stream.path, 1)
        return serve(feed, {
          request,
          reply,
          open,
          world: kernel.world,
          judge: () => judge(stream, accessRequest, kernel),
          ended() {
            leave()
            kernel.metrics.streamsOpen(stream.path, -1)
          },
        })
      },
    })
  }
}

function seatsOf<Context>(stream: Stream<Context>, holder: SecretKey): Seats {
  return stream.seats?.(holder) ?? { owner: holder.merchant_id, max: slots_per_merchant_max }
}

/** Takes a seat in this process first, then in all. Throws `rate_limit_exceeded`. */
async function takeSeat(
  slots: StreamSlots,
  seats: StreamSeats | undefined,
  { owner, max }: Seats,
): Promise<() => void> {
  const leave = slots.acquire(owner, max)
  const giveBack = await seats?.take(owner, max)
  if (giveBack === null) {
    leave()
    throw tooManyOf(max)
  }
  return () => {
    leave()
    giveBack?.()
  }
}

type StreamOptions = {
  request: FastifyRequest
  reply: FastifyReply
  world: Pick<World, 'clock' | 'log'>
  /** The functions that stop the open streams. */
  open: Set<() => void>
  /** See `judge`. */
  judge(): Promise<Refusal | null>
  ended(): void
}

function serve(feed: Feed, { request, reply, world, open, judge, ended }: StreamOptions): FastifyReply {
  const { clock, log } = world
  const life = openLife(feed, clock)
  const departure = new AbortController()
  const letGo = () => reply.raw.destroy()
  const stop = () => life.end()
  const close = () => {
    departure.abort()
    life.end()
    open.delete(stop)
    ended()
  }
  // A reader that takes nothing would not take the end either.
  const endSurely = () => clock.sleep(end_grace_ms, departure.signal).then(letGo, () => {})
  life.over.addEventListener('abort', endSurely, { once: true })
  open.add(stop)
  if (reply.raw.destroyed) close()
  else reply.raw.once('close', close)
  const logEnd = ({ name, code }: Error & { code?: string }) =>
    log.warn({ request_id: request.id, error: name, code }, 'stream ended')
  void watch(life, clock, { judge, letGo })
  const text = textOf(life, clock, { judge, logEnd })
  const body = Readable.from(text, { objectMode: false, highWaterMark: buffer_bytes })
  return reply.headers(streamHeaders).send(body)
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must pass on each message as it comes.
  'x-accel-buffering': 'no',
  connection: 'close',
}

async function admitted<Context>(
  stream: Stream<Context>,
  accessRequest: AccessRequest<Context>,
  { reply, kernel }: { reply: FastifyReply; kernel: Kernel<Context> },
): Promise<SecretKey> {
  const holder = await stream.access.check(accessRequest)
  const now = kernel.world.clock.now()
  const { context } = await kernelOf(kernel, holder.merchant_id)
  if (stream.limit) applyLimit(reply, await stream.limit(context, holder, now), now)
  await stream.admit?.(context, holder)
  return holder
}

/** Why the caller may no longer listen; null if it may. Throws if the check fails. */
async function judge<Context>(
  stream: Stream<Context>,
  accessRequest: AccessRequest<Context>,
  kernel: Kernel<Context>,
): Promise<Refusal | null> {
  try {
    const holder = await stream.access.check(accessRequest)
    const { context } = await kernelOf(kernel, holder.merchant_id)
    await stream.admit?.(context, holder)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** An open stream. */
type OpenStream = {
  feed: Feed
  bell: Bell
  over: AbortSignal
  end(last?: StreamMessage): void
  /** The message at its end, if any. */
  last: StreamMessage | null
  /** Since when written bytes wait for the reader; null while none do. */
  given_at_ms: number | null
}

function openLife(feed: Feed, clock: Clock): OpenStream {
  const over = new AbortController()
  const bell = openBell()
  const unhear = feed.hear(bell.ring)
  const life: OpenStream = {
    feed,
    bell,
    over: over.signal,
    last: null,
    given_at_ms: clock.now().getTime(),
    end(last) {
      if (over.signal.aborted) return
      life.last = last ?? null
      unhear()
      over.abort()
      bell.ring()
    },
  }
  return life
}

/** Writes every message for as long as the reader takes them and is allowed to. */
async function* textOf(
  life: OpenStream,
  clock: Clock,
  { judge, logEnd }: Pick<StreamOptions, 'judge'> & { logEnd(error: Error): void },
): AsyncGenerator<string> {
  const { feed, bell, over } = life
  let said_at_ms = 0
  function* say(text: string) {
    said_at_ms = clock.now().getTime()
    life.given_at_ms = said_at_ms
    yield text
    life.given_at_ms = null
  }
  yield* say(frame(feed.ready))
  try {
    while (!over.aborted) {
      bell.still()
      const { messages, is_more } = await feed.read()
      const refusal = messages.length > 0 ? await judge() : null
      if (refusal) life.end(refused(refusal))
      for (const message of messages) {
        if (!over.aborted) yield* say(frame(message))
      }
      const silent_ms = clock.now().getTime() - said_at_ms
      if (silent_ms >= heartbeat_ms) yield* say(heartbeat(feed.place?.()))
      else if (!is_more) await bell.wait(clock, Math.min(feed.poll_ms, heartbeat_ms - silent_ms))
      await clock.sleep(rest_ms, over).catch(() => {})
    }
  } catch (error) {
    // Its id shows a resuming caller where to continue.
    logEnd(error as Error)
    life.end()
  }
  if (life.last) yield* say(frame(life.last))
}

/** Checks the caller again from time to time, and ends streams whose reader takes nothing. */
async function watch(
  life: OpenStream,
  clock: Clock,
  { judge, letGo }: { judge(): Promise<Refusal | null>; letGo(): void },
): Promise<void> {
  while (!life.over.aborted) {
    await clock.sleep(judged_every_ms, life.over).catch(() => {})
    if (life.over.aborted) return
    const stuck_ms = clock.now().getTime() - (life.given_at_ms ?? Number.POSITIVE_INFINITY)
    if (stuck_ms > stuck_max_ms) letGo()
    try {
      const refusal = await judge()
      if (refusal) life.end(refused(refusal))
    } catch {
      life.end()
    }
  }
}

function refused({ code, message }: Refusal): StreamMessage {
  return { event: 'refused', data: { code, message } }
}
