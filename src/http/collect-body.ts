// Collects the bytes of bodies as they arrive, within the bounds of their route and the budget of all bodies.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { arriving, type BodyBudget, BodyCharge, read } from './body-budget.ts'
import { body_bytes_max, bodyLimits } from './body-limits.ts'
import { callerAddress } from './caller.ts'
import { routeOf } from './fastify.ts'
import { networkOf } from './gateway-limit.ts'

type BodyCallback = (error: Error | null, body?: Buffer) => void

type BodyOptions = {
  budget: BodyBudget
  /** The merchant of the request's secret key, if it is known; otherwise null. Called only for a body that counts. */
  merchantOf(request: FastifyRequest): Promise<string | null>
}

/**
 * The framework calls this for each request with a body. It refuses a body that is too large or finds no room, and does
 * not read one that its route does not take.
 */
export function openBodies({ budget, merchantOf }: BodyOptions) {
  return (request: FastifyRequest, payload: IncomingMessage, done: BodyCallback): void => {
    const { bytes: limit } = bodyLimits[routeOf(request).config.body_kind ?? 'none']
    const length_told = Number(request.headers['content-length'])
    const length_max = limit || body_bytes_max
    if (length_told > length_max) {
      done(tooLarge(length_max))
      return
    }
    if (limit === 0) {
      done(null)
      return
    }
    const charge = new BodyCharge(budget, () => networkOf(callerAddress(request)))
    const collector = new Collected()
    let judgement: Promise<void> | null = null
    let is_over = false

    function end(error: Error | null, body?: Buffer): void {
      is_over = true
      payload.off('data', take).off('end', whole).off('error', end)
      if (error) charge.close()
      else hold(request, charge)
      done(error, body)
    }

    /** The anonymous share may be full while that of known keys is not. */
    function judge(): Promise<void> {
      judgement ??= merchantOf(request).then((merchant_id) => {
        if (merchant_id !== null) charge.recognise(merchant_id)
      })
      return judgement
    }

    async function takeIfKnown(goOn: () => void): Promise<void> {
      payload.pause()
      await judge()
      // The body broke off meanwhile.
      if (is_over) return
      if (!charge.has_room) end(noRoom())
      else goOn()
    }

    function take(piece: Buffer): void {
      collector.add(piece)
      charge.set(arriving(collector.room))
      if (collector.length > limit) end(tooLarge(limit))
      else if (!charge.has_room) void takeIfKnown(() => payload.resume())
      else if (charge.counts) void judge()
    }

    const giveWhole = () => end(null, collector.bytes())
    const whole = () => (charge.has_room ? giveWhole() : void takeIfKnown(giveWhole))
    payload.on('data', take).on('end', whole).on('error', end)
  }
}

const nothing = Buffer.alloc(0)

/**
 * The bytes of a body, in memory of their own. A received piece would keep everything that arrived with it, and a body
 * may come in single bytes.
 */
class Collected {
  length = 0
  private buffer = nothing

  /** How many bytes it takes. */
  get room(): number {
    return this.buffer.length
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length
    if (length > this.room) {
      const wider = Buffer.allocUnsafe(Math.max(length, 2 * this.length))
      this.bytes().copy(wider)
      this.buffer = wider
    }
    piece.copy(this.buffer, this.length)
    this.length = length
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }
}

/** The charge lasts until the answer has gone, or the connection. */
function hold(request: FastifyRequest, charge: BodyCharge): void {
  request.body_charge = charge
  if (charge.counts) closeWithAnswer(request, charge)
}

function closeWithAnswer({ response }: FastifyRequest, charge: BodyCharge): void {
  if (response === null || response.closed) charge.close()
  else response.once('close', charge.close.bind(charge))
}

/** Counts the bytes that a body uses after it was read. Throws the Refusal if there is no room. */
export function chargeParsed(request: FastifyRequest, values: number): void {
  const { body_charge: charge, key_id, merchant_id } = request
  if (charge === null) return
  if (key_id !== null) charge.recognise(merchant_id!)
  const has_counted = charge.counts
  charge.set(read((request.body as Buffer).length, values))
  if (!has_counted && charge.counts) closeWithAnswer(request, charge)
  if (!charge.has_room) throw noRoom()
}

function tooLarge(limit: number): Refusal {
  const message = `The body is larger than ${limit / 1024} KB.`
  return new Refusal('invalid_request', message, { status: 413 })
}

function noRoom(): Refusal {
  const words = 'Too many large bodies are being sent at once, so that this one was not read.'
  return new Refusal('store_unavailable', `${words} Nothing was done. Send the request again.`)
}
