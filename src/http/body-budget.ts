// How much of the heap all bodies may use together, from their first byte until their answers have gone.

/**
 * The limit for all bodies. Together with the 231 MB of the service and the memory of 10,000 connections, it fits into
 * the 512 MB that the service should have.
 */
export const bodies_bytes_max = 64 * 1024 * 1024

/** The part for requests without a known secret key: a flood of them leaves the rest to merchants' servers. */
export const anonymous_bytes_max = bodies_bytes_max / 4

/**
 * This much of each body is not counted while it arrives, nor after it was read. Hardly any honest body is larger, and
 * small bodies must not be refused because a caller sends large ones.
 */
export const arriving_bytes_free = 8 * 1024
export const read_bytes_free = 32 * 1024

/**
 * A value once as it was read, and once as its schema returns it, with its place in the surrounding objects or lists.
 */
const value_bytes = 256

/** How many bytes count while a body arrives. */
export function arriving(bytes: number): number {
  return Math.max(0, bytes - arriving_bytes_free)
}

/** How many bytes count after a body was read: its bytes, its text, which its strings keep alive, and its values. */
export function read(bytes: number, values: number): number {
  return Math.max(0, 3 * bytes + values * value_bytes - read_bytes_free)
}

/**
 * Anonymous requests have a share of their own: however many of their bodies wait for a refusal, they take nothing of
 * the other share.
 */
export class BodyBudget {
  readonly anonymous: BodyShare
  readonly known: BodyShare

  constructor(anonymous_max = anonymous_bytes_max, known_max = bodies_bytes_max - anonymous_bytes_max) {
    this.anonymous = new BodyShare(anonymous_max)
    this.known = new BodyShare(known_max)
  }
}

/**
 * How much of a share one merchant or one anonymous network may use, so that four of them cannot shut out all others.
 * The largest list that a person in the dashboard may save takes 2.9 MB of the 3 MB that remain.
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

  /** `networkOf` is called for the caller's network if the body counts. */
  constructor(budget: BodyBudget, networkOf: () => string) {
    this.budget = budget
    this.share = budget.anonymous
    this.networkOf = networkOf
  }

  /** Whether the body uses more than the free part. */
  get counts(): boolean {
    return this.bytes > 0
  }

  /** If it has no room, the holder of the body must drop it. */
  get has_room(): boolean {
    return !this.counts || this.share.hasRoomFor(this.sender!)
  }

  /** Sets how many bytes of the body count now. */
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

  /** The body uses nothing any more. */
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
