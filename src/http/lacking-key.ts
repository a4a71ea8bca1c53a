// A process without the current master key would refuse valid requests: client secrets, repeats, sealed rows. Another
// process may accept them, so the caller is told to try again.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import { UnknownKeyError } from '../kernel/keyring.ts'
import type { World } from '../kernel/world.ts'
import { answerFailure } from './failures.ts'
import { routeOf } from './fastify.ts'
import { keyRules } from './idempotency.ts'

export type KeyJudge = {
  /** Null while this process has the current key. */
  fault(): string | null
  /** Reads which key is current. */
  look(): Promise<void>
}

/** The refusals that depend on digests under a master key. */
const judgedByKey: ReadonlySet<RefusalCode> = new Set([
  'unauthorized',
  'idempotency_key_reused',
  'resource_not_found',
  'invalid_pagination',
  'sign_in_failed',
] as const)

/** The server's answer to anything that a request threw. */
export function failing({ world, keys }: { world: Pick<World, 'log'>; keys?: KeyJudge | undefined }) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // The client left in the middle of a body: nobody reads the answer, and the service did not fail.
    const broke_off = error === request.raw.errored
    const refusal = broke_off ? new Refusal('invalid_request', 'The body broke off.') : error
    const is_unsure = keys && (await lacksKeyFor(refusal, keys))
    answerFailure(world.log, is_unsure ? lackOfKey(request) : refusal, request, reply)
    return reply
  }
}

/** Whether an error may come from a missing key. */
async function lacksKeyFor(error: unknown, keys: KeyJudge): Promise<boolean> {
  if (error instanceof UnknownKeyError) return keys.fault() !== null
  if (!(error instanceof Refusal) || !judgedByKey.has(error.code)) return false
  // A shop that gets this refusal sends a new key, and the order would be paid twice. So a recent look at the keys is
  // not enough.
  if (error.code !== 'idempotency_key_reused') return keys.fault() !== null
  return keys.look().then(
    () => keys.fault() !== null,
    () => true,
  )
}

function lackOfKey(request: FastifyRequest): Refusal {
  const { idempotency } = routeOf(request).config
  const code = idempotency ? keyRules[idempotency].unavailable : 'store_unavailable'
  const words = 'This process lacks a key that it needs to judge the request.'
  return new Refusal(code, `${words} Send the same request again in a moment.`)
}
