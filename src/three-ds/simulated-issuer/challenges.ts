// What the simulated ACS stores about a challenge. Any process may show it, end it and send its result.

import type { ThreeDsBehaviour } from '../../cards/test-cards.ts'
import type { Version } from '../emv/versions.ts'
import type { EndingName } from './risk.ts'

export type Challenge = {
  acs_transaction_id: string
  server_transaction_id: string
  ds_transaction_id: string
  version: Version
  behaviour: ThreeDsBehaviour
  merchant_name: string
  amount: string
  /** ISO 4217, numeric. */
  currency: string
  exponent: number
  notification_url: string
  /** The values that a Y would carry. They are made when the AReq arrives, so that the card number need not be kept. */
  authentication_value: string
  eci: string
  created_at: Date
  opened: boolean
  tries: number
  session_data: string | null
  /** How it ended; until then, how it ends if nobody answers. */
  ending: EndingName
  has_ended: boolean
  /**
   * When it ends by itself. After its end: when its result is sent, or sent again if no answer came by then. Null once
   * the result has arrived or was given up.
   */
  due_at: Date | null
  /** How many tries to send the result are left. */
  sends_left: number
  /** Grows with each change. */
  revision: number
}

export type ChallengeChanges = Partial<
  Pick<Challenge, 'opened' | 'tries' | 'session_data' | 'ending' | 'has_ended' | 'due_at' | 'sends_left'>
>

export type ChallengeStore = {
  insert(challenge: Challenge): Promise<void>
  find(acs_transaction_id: string): Promise<Challenge | null>
  /** Returns the changed challenge, or null if it was changed since it was read. */
  change(challenge: Challenge, changes: ChallengeChanges): Promise<Challenge | null>
  /** Challenges that were due before this time, the oldest first. */
  listDue(before: Date, limit: number): Promise<Challenge[]>
}

/** Challenges are deleted after this time. */
export const keep_ms = 3_600_000
/** How often a result is sent until it is given up. */
export const result_tries = 5

const first_creq_ms = 30_000
const page_ms = 600_000
/** Longer than sending takes, with the pause before the next try. */
const sending_ms = 20_000

/** The time by which the browser must have opened it. */
export function firstDue(now: Date): Date {
  return after(now, first_creq_ms)
}

/** A page is shown, and waits for its answer. */
export function changesWhenShown(challenge: Challenge, now: Date): ChallengeChanges {
  // An abandoned challenge keeps the 30 seconds that began with its ARes.
  if (challenge.behaviour === 'challenge_abandoned') return {}
  return { ending: 'never_answered', due_at: after(now, page_ms) }
}

/** It ends. The process that stores this change sends the result, after the delay if there is one. */
export function changesAtEnd(ending: EndingName, now: Date, delay_ms = 0): ChallengeChanges {
  const sending = delay_ms > 0 ? { due_at: after(now, delay_ms) } : changesWhenSent({ sends_left: result_tries }, now)
  return { has_ended: true, ending, ...sending }
}

/** The process that stores this change sends the result. */
export function changesWhenSent({ sends_left }: Pick<Challenge, 'sends_left'>, now: Date): ChallengeChanges {
  return { sends_left: sends_left - 1, due_at: after(now, sending_ms) }
}

/** The change that the passing of time requires; null if nothing is due. */
export function changesWhenOverdue(challenge: Challenge, now: Date): ChallengeChanges | null {
  const { due_at, has_ended, ending, sends_left } = challenge
  if (due_at === null || due_at > now) return null
  if (!has_ended) return changesAtEnd(ending, now)
  return sends_left > 0 ? changesWhenSent(challenge, now) : { due_at: null }
}

/** Whether its result has been sent at least once, or is about to be. */
export function isSent({ has_ended, sends_left }: Challenge): boolean {
  return has_ended && sends_left < result_tries
}

function after(now: Date, duration_ms: number): Date {
  return new Date(now.getTime() + duration_ms)
}
