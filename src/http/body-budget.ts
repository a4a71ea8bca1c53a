// What bodies may take of the heap together, from their first byte until their answers have gone.

/**
 * For all bodies. Beside the 231 MB of the service and the memory of 10,000 connections, it fits into the 512 MB that
 * the service should have.
 */
export const bodies_bytes_max = 64 * 1024 * 1024

/** Of these, for requests without a secret key that is known: a flood of them leaves the rest to merchants' servers. */
export const anonymous_bytes_max = bodies_bytes_max / 4

/**
 * This much of each body is not counted while it arrives, and once it was read. Hardly any honest body takes more, and
 * those must not be refused because somebody sends large ones.
 */
export const arriving_bytes_free = 8 * 1024
export const read_bytes_free = 32 * 1024

/** A value once read, and once more as its schema gives it, with its place in the objects or lists around both. */
const value_bytes = 256

/** What counts of a body while it arrives. */
export function arriving(bytes: number): number {
  return Math.max(0, bytes - arriving_bytes_free)
}

/** What counts once it was read: its bytes, its text, which its strings keep alive, and its values. */
export function read(bytes: number, values: number): number {
  return Math.max(0, 3 * bytes + values * value_bytes - read_bytes_free)
}

/** What is anonymous has a share of its own: however much of it waits for its refusal, it takes nothing of the other. */
export class BodyBudget {
  readonly anonymous: BodyShare
  readonly known: BodyShare

  constructor(anonymous_max = anonymous_bytes_max, known_max = bodies_bytes_max - anonymous_bytes_max) {
    this.anonymous = new BodyShare(anonymous_max)
    this.known = new BodyShare(known_max)
  }
}

/**
 * So much of a share one merchant may have, or one network of anonymous callers: four cannot keep all others out. The largest
 * list that somebody at the dashboard may save takes 2.9 MB of the 3 MB that it leaves them.
 */
const of_sender = 3 / 16

class BodyShare {
  bytes = 0
  private readonly bytes_max: number
  private readonly senders = new Map<string, number>()

  constructor(bytes_max: number) {
    this.bytes_max = bytes_max
  }

  hasRoomFor(name: string): boolean {
    const bytes_of_sender = this.senders.get(name) ?? 0
    return this.bytes <= this.bytes_max && bytes_of_sender <= this.bytes_max * of_sender
  }

  count(name: string, bytes: number): void {
    this.bytes += bytes
    const bytes_of_sender = (this.senders.get(name) ?? 0) + bytes
    if (bytes_of_sender === 0) this.senders.delete(name)
    else this.senders.set(name, bytes_of_sender)
  }
}

/** One body's part of the budget. */
export class BodyCharge {
  private readonly budget: BodyBudget
  private share: BodyShare
  private readonly networkOf: () => string
  private sender: string | null = null
  private bytes = 0
  private is_closed = false

  /** `networkOf` is asked for the caller's network where the body counts. */
  constructor(budget: BodyBudget, networkOf: () => string) {
    this.budget = budget
    this.share = budget.anonymous
    this.networkOf = networkOf
  }

  /** Whether it takes more than is free. */
  get counts(): boolean {
    return this.bytes > 0
  }

  /** Where it has none, whoever holds the body has to let go of it. */
  get has_room(): boolean {
    return !this.counts || this.share.hasRoomFor(this.sender!)
  }

  /** Says what counts of the body now. */
  set(bytes: number): void {
    if (!this.is_closed) this.count(bytes)
  }

  /** The request has a secret key of the merchant. */
  recognise(merchant_id: string): void {
    const { bytes } = this
    this.count(0)
    this.share = this.budget.known
    this.sender = merchant_id
    this.count(bytes)
  }

  /** The body takes nothing any more. */
  close(): void {
    this.count(0)
    this.is_closed = true
  }

  private count(bytes: number): void {
    if (bytes === this.bytes) return
    this.sender ??= this.networkOf()
    this.share.count(this.sender, bytes - this.bytes)
    this.bytes = bytes
  }
}
