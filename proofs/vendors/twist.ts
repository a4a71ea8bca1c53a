// What a fake vendor makes of a request otherwise than it was asked: a part of it, an error that stays under the key for ever, a
// refusal to take back what it could, no decision at all, or no shift of liability.

import type { Clock } from '../../src/kernel/world.ts'
import type { ReplyTo, VendorCall } from '../../tests/adapters/fakes/listen.ts'
import { numberFor } from '../../tests/adapters/fakes/numbers.ts'
import { verbOf } from './verbs.ts'

/** Of a charge: `undecided`, its answer never comes; `unshifted`, it says that 3-D Secure shifted no liability. */
export const twists = ['part', 'kept_error', 'refusal', 'undecided', 'unshifted'] as const
export type Twist = (typeof twists)[number]

export type TwistedKind = 'capture' | 'void' | 'refund' | 'reverse'

export type Twisting = {
  reply: ReplyTo
  /** From now on the request with this key is answered so, whenever it comes, and reversals of its charge are refused until then. */
  twist(call: VendorCall, twist: Twist, until: Date): void
  /** Whether a request with its key came before, or its charge's reversals are refused. */
  knows(call: VendorCall): boolean
}

export type TwistRoom = {
  /** The next request fails, nothing is done, and the key keeps the error. Null where a vendor keeps no error. */
  keepError: (() => void) | null
  /** The next charge shifts no liability. */
  refuseShift(): void
  /** Of the newest capture, refund, void or reversal of a charge: it is refused. */
  refuseNewest(id: string): void
}

export function twisting(reply: ReplyTo, room: TwistRoom, clock: Pick<Clock, 'now'>): Twisting {
  const keys = new Map<string, Twist | null>()
  const refusing = new Map<string, Date>()
  return {
    knows: (call) => keys.has(keyOf(call)) || refusing.has(chargeOf(call) ?? ''),
    twist(call, twist, until) {
      if (twist === 'refusal') refusing.set(chargeOf(call) ?? '', until)
      else keys.set(keyOf(call), twist)
    },
    async reply(call) {
      const key = keyOf(call)
      const twist = keys.get(key) ?? null
      const is_new = !keys.has(key)
      if (key !== '') keys.set(key, twist)
      if (twist === 'kept_error') room.keepError?.()
      if (twist === 'unshifted') room.refuseShift()
      // A repeated request does nothing, so the next of these would befall another.
      if (twist === 'kept_error' || twist === 'unshifted') keys.set(key, null)
      const answer = reply({ ...call, body: twisted(call.body, twist) })
      const id = chargeOf(call)
      const until = id === null ? undefined : refusing.get(id)
      if (is_new && until && clock.now() < until && kindOf(call) === 'reverse') {
        const said = await answer
        room.refuseNewest(id!)
        return said
      }
      return answer
    },
  }
}

/** What it asks for; null for a charge, and for what moves nothing. */
export function kindOf(call: VendorCall): TwistedKind | null {
  const verb = verbOf({ method: call.method as 'POST', url: `https://vendor.example${call.path}` })
  if (verb === 'authorise') return null
  return decodeURIComponent(call.body).includes('[ripper_kind]=reverse') ? 'reverse' : verb
}

/** Whether it asks for the money of a charge. */
export function isCharge({ method, path }: VendorCall): boolean {
  return verbOf({ method: method as 'POST', url: `https://vendor.example${path}` }) === 'authorise'
}

/** The vendor's id of the charge that it names; null for none. */
export function chargeOf({ path, body }: VendorCall): string | null {
  const [, id] = /\/(?:payments|payment_intents)\/(\w+)\//.exec(path) ?? []
  return id ?? /payment_intent=(\w+)/.exec(body)?.[1] ?? null
}

function keyOf({ headers }: VendorCall): string {
  return headers['cko-idempotency-key'] ?? headers['idempotency-key'] ?? ''
}

const card_number = /\b[3-6]\d{12,18}\b/

/** Whether a request names a card, by whose number a fake vendor knows what becomes of its charge. */
export function namesCard({ method, body }: VendorCall): boolean {
  return method === 'POST' && card_number.test(body)
}

function twisted(body: string, twist: Twist | null): string {
  if (twist === 'undecided') return body.replace(card_number, numberFor('lost_for_ever'))
  return twist === 'part' ? inPart(body) : body
}

/** 1.00 of 42.00. */
function inPart(body: string): string {
  const part = (amount: string) => String(Math.max(1, Math.floor(Number(amount) / 42)))
  return body
    .replace(/("(?:amount|value)":)(\d+)/, (_, name, amount) => name + part(amount))
    .replace(/(\bamount(?:_to_capture)?=)(\d+)/, (_, name, amount) => name + part(amount))
}
