// Makes every id of the service from the world's randomness. Ids of sessions and connections carry their merchant's routing
// number, masked, so that routes which know only these can go straight to the merchant's rows.

import type { Keyring } from './keyring.ts'
import type {
  AttemptId,
  CardReference,
  ConnectionId,
  EndpointId,
  MerchantId,
  PaymentId,
  RefundId,
  SessionId,
} from './values.ts'
import type { Random } from './world.ts'

export type Ids = ReturnType<typeof openIds>

export function openIds(random: Random, keyring: Keyring) {
  const draw = random.bytes
  const hex24 = () => draw(12).toString('hex')

  /** 24 hex characters: the routing number under a mask that the other 16 decide. */
  function routed(routing: number): string {
    const tail = draw(8).toString('hex')
    return hex32(routing ^ mask(tail)) + tail
  }

  function mask(tail: string): number {
    return keyring.mac('routing mask', tail).readUInt32BE(0)
  }

  return {
    session: (routing: number): SessionId => `cs_${routed(routing)}`,
    /** A UUID (version 4 by its letters) for threeDSServerTransID, which comes back without a merchant. */
    serverTransaction(routing: number): string {
      const hex = routed(routing)
      const rest = draw(4).toString('hex')
      const variant = '89ab'[draw(1)[0]! & 3]
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${rest.slice(0, 3)}-${variant}${rest.slice(3, 6)}-${hex.slice(12)}`
    },
    connection: (routing: number): ConnectionId => `conn_${routed(routing)}`,
    attempt: (): AttemptId => `att_${hex24()}`,
    payment: (): PaymentId => `pay_${hex24()}`,
    refund: (): RefundId => `ref_${hex24()}`,
    card: (): CardReference => `card_${hex24()}`,
    merchant: (): MerchantId => `m_${hex24()}`,
    integration: () => `int_${hex24()}`,
    key: () => `key_${hex24()}`,
    event: () => `evt_${hex24()}`,
    endpoint: (): EndpointId => `whep_${hex24()}`,
    request: () => `req_${hex24()}`,
    secretKey: () => `rip_sk_${draw(24).toString('hex')}`,
    publishableKey: () => `rip_pk_${draw(24).toString('hex')}`,
    webhookSecret: () => `rip_whsec_${draw(32).toString('hex')}`,
    routing: () => draw(4).readUInt32BE(0),
    operation: (at: Date) => timeOrdered(at, draw),
    journalEntry: (at: Date) => timeOrdered(at, draw),
    delivery: (at: Date) => timeOrdered(at, draw),
    webhookAttempt: (at: Date) => timeOrdered(at, draw),
  }
}

/** The routing numbers that an id of these may carry: one for each master key in use. None for an id of another kind. */
export function routingsIn(id: string, keyring: Keyring): number[] {
  const hex = /^(?:cs|conn)_([0-9a-f]{24})$/.exec(id)?.[1] ?? transactionHex(id)
  if (hex === null) return []
  const masked = Number.parseInt(hex.slice(0, 8), 16)
  return keyring
    .macs('routing mask', hex.slice(8))
    .map((mac) => (masked ^ mac.readUInt32BE(0)) >>> 0)
}

function transactionHex(id: string): string | null {
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-([0-9a-f]{12})$/.exec(
    id.toLowerCase(),
  )
  return parts && `${parts[1]}${parts[2]}${parts[3]}`
}

function hex32(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}

/** UUIDv7 in hex: sorts by time. */
function timeOrdered(at: Date, draw: (length: number) => Buffer): string {
  const tail = draw(10)
  tail[0] = (tail[0]! & 0x0f) | 0x70
  tail[2] = (tail[2]! & 0x3f) | 0x80
  return idsFrom(at) + tail.toString('hex')
}

/** The milliseconds that a time-ordered id begins with. */
export function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 12), 16)
}

/** The lowest id of a millisecond: no id of that millisecond sorts before it, and every earlier one does. */
export function idsFrom(at: Date): string {
  return at.getTime().toString(16).padStart(12, '0')
}
