// Lists the live authorisations at Stripe between two times: its intents, page by page.

import { TooLong, type WireAnswer, type WireRequest } from '../../vendor-wire/wire.ts'
import { type LiveAuthorisation, TooMany, Unanswered } from '../acquirer.ts'
import { type AcquirerConnection, credentialsOf } from '../connector.ts'
import type { StripeCredentials } from './credentials.ts'
import { intentIn, pageIn } from './intents.ts'
import { ask, refundsAt } from './read.ts'
import { intentsWithin, page_limit } from './requests.ts'
import { isReversed, liveOf } from './standings.ts'

/** Less than a call may last. Each page is a request, so that an hour of a busy account does not fit. */
const listed_within_ms = 12_000

/** Oldest first. Stripe's times are in seconds, so the list includes everything from the second of `since`. */
export async function listAt(
  connection: AcquirerConnection<StripeCredentials>,
  within: { since: Date; until: Date },
): Promise<LiveAuthorisation[]> {
  const { name, clock } = connection
  const credentials = await credentialsOf(connection)
  const live: LiveAuthorisation[] = []
  const ends_at = new Date(clock.now().getTime() + listed_within_ms)
  let after: string | null = null
  let limit = page_limit
  for (;;) {
    const answer = await pageOrNull(connection, intentsWithin(within, { after, limit }, credentials))
    // If intents have much metadata, a page of fewer intents may still be short enough to read.
    if (!answer && limit > 1) {
      limit = Math.ceil(limit / 2)
      continue
    }
    const page = answer && pageIn(answer.json)
    if (!page) throw new Unanswered(`${name}: it shows a list that cannot be read`)
    for (const each of page.data) {
      const authorisation = await liveAt(connection, each)
      if (authorisation) live.unshift(authorisation)
    }
    if (!page.has_more || page.data.length === 0) return live
    if (clock.now() >= ends_at) throw new TooMany(`${name}: more payments than one call lists`)
    after = idOf(page.data.at(-1), name)
  }
}

/** Null if the answer is too long to read. */
async function pageOrNull(
  connection: AcquirerConnection<StripeCredentials>,
  request: WireRequest,
): Promise<WireAnswer | null> {
  try {
    return await ask(connection, request)
  } catch (error) {
    if (error instanceof TooLong) return null
    throw error
  }
}

async function liveAt(
  connection: AcquirerConnection<StripeCredentials>,
  each: unknown,
): Promise<LiveAuthorisation | null> {
  const liveIntent = liveOf(each)
  if (!liveIntent) return null
  const { needs_refunds, ...live } = liveIntent
  if (!needs_refunds || live.installation !== connection.installation) return live
  return isReversed(await refundsAt(connection, intentIn(each)!)) ? null : live
}

function idOf(each: unknown, name: string): string {
  const id = (each as { id?: unknown } | null)?.id
  if (typeof id === 'string' && id !== '') return id
  throw new Unanswered(`${name}: it shows a list that cannot be read on`)
}
