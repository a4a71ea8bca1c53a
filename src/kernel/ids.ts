// Makes every id of the service from the world's randomness. Ids of sessions, payment links and connections contain their merchant's
// masked routing number, so that routes that know only the id can go straight to the merchant's rows.

import type { Keyring } from './keyring.ts'
import type {
  AttemptId,
  CardReference,
  CheckoutSessionId,
  ConnectionId,
  DisputeId,
  EndpointId,
  MerchantId,
  Mode,
  PaymentId,
  PaymentLinkId,
  PayoutId,
  RefundId,
  SessionId,
} from './values.ts'
import type { Random } from './world.ts'

export type Ids = ReturnType<typeof openIds>

export function openIds(random: Random, keyring: Keyring) {
  const draw = random.bytes
  const hex24 = () => draw(12).toString('hex')

  /**
   * 24 hex characters: the routing number under the mask of a window, the moment, randomness. So the rows that a
   * merchant adds within some hours are neighbours in an index, and their pages are still in memory.
   */
  function routed(routing: number, at: Date): string {
    const moment = momentOf(at)
    const rest = draw(6).toString('hex').slice(1)
    return hex32(routing ^ windowMasks(windowOf(moment), keyring)[0]!) + moment + rest
  }

  /** 24 hex characters: the second, then 64 random bits. */
  function recent(at: Date): string {
    return hex32(Math.floor(at.getTime() / 1000)) + draw(8).toString('hex')
  }

  /** The same in the order of milliseconds, for rows that are listed by their ids. */
  function ordered(at: Date): string {
    const rest = draw(7).toString('hex').slice(1)
    return hex32(Math.floor(at.getTime() / 1000)) + at.getMilliseconds().toString(16).padStart(3, '0') + rest
  }

  return {
    session: (routing: number, at: Date): SessionId => `cs_${routed(routing, at)}`,
    /** 56 letters and digits after the mode, as clients of the compatible platform know them. */
    checkoutSession: (routing: number, mode: Mode, at: Date): CheckoutSessionId =>
      `cs_${mode}_${routed(routing, at)}${draw(16).toString('hex')}`,
    /** A UUID (version 4 by its letters) for threeDSServerTransID, which comes back without a merchant. */
    serverTransaction(routing: number, at: Date): string {
      const hex = routed(routing, at)
      const rest = draw(4).toString('hex')
      const variant = '89ab'[draw(1)[0]! & 3]
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${rest.slice(0, 3)}-${variant}${rest.slice(3, 6)}-${hex.slice(12)}`
    },
    paymentLink: (routing: number, at: Date): PaymentLinkId => `plink_${routed(routing, at)}`,
    /** 160 random bits, which the address of a payment link has beside its id. */
    paymentLinkProof: () => draw(20).toString('hex'),
    connection: (routing: number, at: Date): ConnectionId => `conn_${routed(routing, at)}`,
    attempt: (at: Date): AttemptId => `att_${recent(at)}`,
    payment: (at: Date): PaymentId => `pay_${recent(at)}`,
    refund: (at: Date): RefundId => `ref_${ordered(at)}`,
    dispute: (at: Date): DisputeId => `dsp_${ordered(at)}`,
    payout: (at: Date): PayoutId => `po_${ordered(at)}`,
    card: (at: Date): CardReference => `card_${recent(at)}`,
    event: (at: Date) => `evt_${recent(at)}`,
    merchant: (): MerchantId => `m_${hex24()}`,
    integration: () => `int_${hex24()}`,
    key: () => `key_${hex24()}`,
    endpoint: (): EndpointId => `whep_${hex24()}`,
    request: () => `req_${hex24()}`,
    user: () => `usr_${hex24()}`,
    signInLink: () => `lnk_${hex24()}`,
    userSession: () => `uses_${hex24()}`,
    /** 256 random bits: the token of a person's session, or the secret of a link. */
    personSecret: () => draw(32).toString('base64url'),
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

/**
 * The routing numbers that such an id may contain: two for each master key in use, because early releases masked the
 * number by all that follows it. None for an id of another kind.
 */
export function routingsIn(id: string, keyring: Keyring): number[] {
  return [...likelyRoutings(id, keyring)]
}

/** The same numbers one by one, those of this release's ids first: each of the others costs a digest. */
export function* likelyRoutings(id: string, keyring: Keyring): Generator<number> {
  const [, session, checkout] =
    /^(?:cs|conn|plink)_([0-9a-f]{24})$|^cs_(?:test|live)_([0-9a-f]{24})[0-9a-f]{32}$/.exec(id) ?? []
  const hex = session ?? checkout ?? transactionHex(id)
  if (hex === null) return
  const masked_number = Number.parseInt(hex.slice(0, 8), 16)
  const tail = hex.slice(8)
  for (const mask of windowMasks(windowOf(tail), keyring)) yield (masked_number ^ mask) >>> 0
  for (const mac of keyring.macs('routing mask', tail)) yield (masked_number ^ mac.readUInt32BE(0)) >>> 0
}

const windows = new WeakMap<Keyring, Map<string, number[]>>()

/** The masks of every key in use, the current one first. They are kept, because there are only 256 windows. */
function windowMasks(window: string, keyring: Keyring): number[] {
  const masksByWindow = windows.get(keyring) ?? new Map<string, number[]>()
  windows.set(keyring, masksByWindow)
  const masks = masksByWindow.get(window) ?? keyring.macs('routing window', window).map((mac) => mac.readUInt32BE(0))
  masksByWindow.set(window, masks)
  return masks
}

/**
 * Units of 4.096 s in 5 hex characters. They start over after fifty days, when old rows have left room between them.
 */
function momentOf(at: Date): string {
  return (Math.floor(at.getTime() / 4096) & 0xfffff).toString(16).padStart(5, '0')
}

/** The window of a moment, or of a text that begins with one: some four and a half hours. */
function windowOf(moment: string): string {
  return moment.slice(0, 2)
}

function transactionHex(id: string): string | null {
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-([0-9a-f]{12})$/.exec(id.toLowerCase())
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

/** The milliseconds at the start of a time-ordered id. */
export function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 12), 16)
}

/** The lowest id of a millisecond: it sorts before all ids of that millisecond, and after all earlier ones. */
export function idsFrom(at: Date): string {
  return at.getTime().toString(16).padStart(12, '0')
}
