// Lists the live authorisations at Stripe between two times: its intents, page by page.

import { type LiveAuthorisation, Unanswered } from '../acquirer.ts'
import { type Connection, credentialsOf } from '../connector.ts'
import type { StripeCredentials } from './credentials.ts'
import { pageIn } from './intents.ts'
import { ask, refundsAt } from './read.ts'
import { intentsWithin } from './requests.ts'
import { isReversed, liveOf } from './standings.ts'

/** A hundred thousand intents. Stripe's rate limit does not allow that many in an hour. */
const pages_max = 1000

/** Oldest first. Stripe's times are in seconds, so the list includes everything from the second of `since`. */
export async function listAt(
  connection: Connection<StripeCredentials>,
  within: { since: Date; until: Date },
): Promise<LiveAuthorisation[]> {
  const { name } = connection
  const credentials = await credentialsOf(connection)
  const live: LiveAuthorisation[] = []
  let after: string | null = null
  for (let pages = 0; pages < pages_max; pages++) {
    const answer = await ask(connection, intentsWithin(within, after, credentials))
    const page = pageIn(answer.json)
    if (!page) throw new Unanswered(`${name}: it shows a list that cannot be read`)
    for (const each of page.data) {
      const found = await liveAt(connection, each)
      if (found) live.unshift(found)
    }
    if (!page.has_more || page.data.length === 0) return live
    after = idOf(page.data.at(-1), name)
  }
  throw new Unanswered(`${name}: more payments than are listed at once`)
}

async function liveAt(
  connection: Connection<StripeCredentials>,
  each: unknown,
): Promise<LiveAuthorisation | null> {
  const found = liveOf(each)
  if (!found) return null
  const { needs_refunds, ...live } = found
  if (!needs_refunds || live.installation !== connection.installation) return live
  const shown = { id: live.acquirer_transaction_id!, status: 'succeeded' }
  return isReversed(await refundsAt(connection, shown)) ? null : live
}

function idOf(each: unknown, name: string): string {
  const id = (each as { id?: unknown } | null)?.id
  if (typeof id === 'string' && id !== '') return id
  throw new Unanswered(`${name}: it shows a list that cannot be read on`)
}
