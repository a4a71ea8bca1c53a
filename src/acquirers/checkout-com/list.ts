// Lists the live authorisations at Checkout.com between two times, by its search.

import { TooLong } from '../../vendor-wire/wire.ts'
import { type LiveAuthorisation, TooMany, Unanswered } from '../acquirer.ts'
import { type AcquirerConnection, credentialsOf } from '../connector.ts'
import type { WireRequest } from '../wire.ts'
import type { CheckoutCredentials } from './credentials.ts'
import { pageIn, paymentIn } from './payments.ts'
import { ask, readPayment } from './read.ts'
import { search_limit, searchRequest } from './requests.ts'
import { isBare, liveIn } from './standings.ts'

/** Less than a call may last. Each part of a list is a request. */
const listed_within_ms = 12_000

/** Oldest first. */
export function listAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  within: { since: Date; until: Date },
): Promise<LiveAuthorisation[]> {
  return listUntil(connection, within, new Date(connection.clock.now().getTime() + listed_within_ms))
}

/** If there are more than a page shows, each half of the time is listed separately. */
async function listUntil(
  connection: AcquirerConnection<CheckoutCredentials>,
  { since, until }: { since: Date; until: Date },
  ends_at: Date,
): Promise<LiveAuthorisation[]> {
  const credentials = await credentialsOf(connection)
  const { data, whole } = await searchPage(connection, searchRequest({ since, until }, credentials))
  if (whole && data.length < search_limit) {
    return liveIn(await readWhole(connection, data, ends_at))
      .filter(({ authorised_at }) => authorised_at >= since && authorised_at <= until)
      .toSorted((one, other) => one.authorised_at.getTime() - other.authorised_at.getTime())
  }
  if (connection.clock.now() >= ends_at) {
    throw new TooMany(tooMany(connection))
  }
  const middle = new Date(Math.floor((since.getTime() + until.getTime()) / 2))
  if (middle.getTime() === since.getTime()) {
    throw new Unanswered(`${connection.name}: more payments in one moment than it lists`)
  }
  const later = new Date(middle.getTime() + 1)
  const earlier_half = await listUntil(connection, { since, until: middle }, ends_at)
  return [...earlier_half, ...(await listUntil(connection, { since: later, until }, ends_at))]
}

/** An answer that is too long to be read also means that there is more. */
async function searchPage(
  connection: AcquirerConnection<CheckoutCredentials>,
  request: WireRequest,
): Promise<ReturnType<typeof pageIn>> {
  try {
    return pageIn(await ask(connection, request))
  } catch (error) {
    if (error instanceof TooLong) return { data: [], whole: false }
    throw error
  }
}

/** A payment that a search shows only in part is read by its id. */
async function readWhole(
  connection: AcquirerConnection<CheckoutCredentials>,
  data: unknown[],
  ends_at: Date,
): Promise<unknown[]> {
  const whole: unknown[] = []
  for (const each of data) {
    const payment = paymentIn(each)
    const bare = payment && isBare(payment) ? payment : null
    if (bare && connection.clock.now() >= ends_at) throw new TooMany(tooMany(connection))
    whole.push(bare ? await readPayment(connection, bare.id) : each)
  }
  return whole
}

function tooMany({ name }: { name: string }): string {
  return `${name}: more payments than one call lists`
}
