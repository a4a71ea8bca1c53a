// What bodies may take of the heap together, from their first byte until their answers have gone.

/**
 * For all bodies. Beside the 231 MB of the service and the memory of 10,000 connections, it fits into the 512 MB that
 * the service should have.
 */
export const bodies_bytes_max = 64 * 1024 * 1024

/** Of these, for requests without a secret key that is known: a flood of them leaves the rest to merchants' servers. */
export const anonymous_bytes_max = bodies_bytes_max / 4

/**
 * This much of each body is not counted. Hardly any honest body takes more, and those must not be refused because
 * somebody sends large ones.
 */
export const body_bytes_free = 8 * 1024

/** The overhead of each piece: a body may arrive in single bytes. */
const piece_bytes = 512

/** A value once read, and once more as its schema gives it, with its place in the objects or lists around both. */
const value_bytes = 256

/** What a body takes while it arrives. */
export function arriving(bytes: number, pieces: number): number {
  return bytes + pieces * piece_bytes
}

/** What it takes once it was read: its bytes, its text, which its strings keep alive, and its values. */
export function parsed(bytes: number, values: number): number {
  return 3 * bytes + values * value_bytes
}

type Share = { bytes_max: number; bytes: number }

/** What is anonymous has a share of its own: however much of it waits for its refusal, it takes nothing of the other. */
export type BodyBudget = { anonymous: Share; known: Share }

export function openBodyBudget(
  anonymous_max = anonymous_bytes_max,
  known_max = bodies_bytes_max - anonymous_bytes_max,
): BodyBudget {
  return {
    anonymous: { bytes_max: anonymous_max, bytes: 0 },
    known: { bytes_max: known_max, bytes: 0 },
  }
}

/** One body's part of the budget. */
export class BodyCharge {
  private readonly budget: BodyBudget
  private share: Share
  private bytes = 0
  private is_closed = false

  constructor(budget: BodyBudget) {
    this.budget = budget
    this.share = budget.anonymous
  }

  /** Whether it takes more than is free. */
  get counts(): boolean {
    return this.bytes > 0
  }

  /** Where it has none, whoever holds the body has to let go of it. */
  get has_room(): boolean {
    return !this.counts || this.share.bytes <= this.share.bytes_max
  }

  /** Says what the body takes now. */
  set(bytes: number): void {
    if (!this.is_closed) this.count(Math.max(0, bytes - body_bytes_free))
  }

  /** The request has a secret key that is known. */
  recognise(): void {
    const { bytes } = this
    this.count(0)
    this.share = this.budget.known
    this.count(bytes)
  }

  /** The body takes nothing any more. */
  close(): void {
    this.count(0)
    this.is_closed = true
  }

  private count(bytes: number): void {
    this.share.bytes += bytes - this.bytes
    this.bytes = bytes
  }
}
