// Queries to Checkout.com.

import { z } from 'zod'
import { type DisputeTold, type ListedDispute, Unanswered } from '../acquirer.ts'
import { type AcquirerConnection, credentialsOf, notTheirs } from '../connector.ts'
import { isGood, notShown, type WireAnswer, type WireRequest } from '../wire.ts'
import { isMissing } from './answers.ts'
import { type CheckoutCredentials, isOfSandbox } from './credentials.ts'
import { disputeIn } from './disputes.ts'
import { paymentIn, type TheirPayment } from './payments.ts'
import { byId, disputeById, disputes_limit, disputesWithin } from './requests.ts'

/** Throws Unanswered if the payment is not shown by its id. */
export async function readPayment(
  connection: AcquirerConnection<CheckoutCredentials>,
  id: string,
): Promise<TheirPayment> {
  const { name } = connection
  const answer = await ask(connection, byId(id, await credentialsOf(connection)))
  if (isMissing(answer)) throw new Unanswered(notTheirs(name, id))
  const payment = paymentIn(answer.json)
  if (!payment) throw new Unanswered(unreadable(name))
  return payment
}

const disputePage = z.object({ total_count: z.int().nonnegative(), data: z.array(z.unknown()).default([]) })
const withStatus = z.object({ status: z.string() })

/** More pages than an account has disputes in days. */
const dispute_pages_max = 50

/** What is in a status of another version is left out. Throws Unanswered or NotSent. */
export async function disputesAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  since: Date,
): Promise<ListedDispute[]> {
  const { name, clock } = connection
  const credentials = await credentialsOf(connection)
  const until = clock.now()
  const disputes: ListedDispute[] = []
  for (let pages = 0; pages < dispute_pages_max; pages++) {
    const skip = pages * disputes_limit
    const { json } = await ask(connection, disputesWithin({ since, until, skip }, credentials))
    const page = disputePage.safeParse(json).data
    if (!page) throw new Unanswered(`${name}: it shows disputes that cannot be read`)
    for (const each of page.data) {
      const found = toldIn(each, credentials)
      if (!found) continue
      const { their_payment_id: authorisation_transaction_id, ...told } = found
      disputes.push({ ...told, authorisation_transaction_id })
    }
    if (page.data.length === 0 || skip + page.data.length >= page.total_count) return disputes
  }
  throw new Unanswered(`${name}: more disputes than are read`)
}

/** Null if it is unknown there. Throws Unanswered or NotSent. */
export async function disputeAt(
  connection: AcquirerConnection<CheckoutCredentials>,
  id: string,
): Promise<DisputeTold | null> {
  const credentials = await credentialsOf(connection)
  const answer = await ask(connection, disputeById(id, credentials))
  const found = isMissing(answer) ? null : toldIn(answer.json, credentials)
  if (!found) return null
  const { their_payment_id: _, ...told } = found
  return told
}

function toldIn(json: unknown, credentials: CheckoutCredentials) {
  const status = withStatus.safeParse(json).data?.status
  return status === undefined ? null : disputeIn(json, { status, is_sandbox: isOfSandbox(credentials) })
}

/** The answer to a query: a success, or a 404 from Checkout.com itself. Throws Unanswered or NotSent. */
export async function ask(
  { wire, name }: AcquirerConnection<CheckoutCredentials>,
  request: WireRequest,
): Promise<WireAnswer> {
  const answer = await wire.send(request)
  if (isGood(answer) || isMissing(answer)) return answer
  throw new Unanswered(notShown(name, answer))
}

export function unreadable(name: string): string {
  return `${name}: it shows a payment that cannot be read`
}
