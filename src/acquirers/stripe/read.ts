// Reads one payment at Stripe: its intent by the known id, and its refunds.

import { type AuthorisationName, type DisputeTold, type ListedDispute, Unanswered } from '../acquirer.ts'
import { type AcquirerConnection, credentialsOf, notTheirs } from '../connector.ts'
import { isGood, notShown, type WireAnswer, type WireRequest } from '../wire.ts'
import { isMissing } from './answers.ts'
import type { StripeCredentials } from './credentials.ts'
import { disputeIn } from './disputes.ts'
import {
  intentIn,
  isMarked,
  pageIn,
  type ReceivedMember,
  refundIn,
  refundsOfCapture,
  type TheirIntent,
  type TheirRefund,
} from './intents.ts'
import { disputeById, disputesSince, intentById, refundsOf } from './requests.ts'

/** More refunds than one payment ever has. */
const refund_pages_max = 20

/** The intent; null if its id is unknown. Throws Unanswered or NotSent. */
export async function findTheirIntent(
  connection: AcquirerConnection<StripeCredentials>,
  authorisation: AuthorisationName,
): Promise<TheirIntent | null> {
  const { name, installation } = connection
  const id = intentIdOf(authorisation)
  if (id === null) return null
  const answer = await ask(connection, intentById(id, await credentialsOf(connection)))
  if (isMissing(answer)) throw new Unanswered(notTheirs(name, id))
  const intent = intentIn(answer.json)
  if (intent?.id !== id) throw new Unanswered(`${name}: it shows a payment that cannot be read`)
  if (!isMarked(intent, installation)) throw new Unanswered(notTheirs(name, id))
  return intent
}

/** Whether the intent with this id has our reference and our mark. Throws Unanswered or NotSent. */
export async function bearsReference(
  connection: AcquirerConnection<StripeCredentials>,
  id: string,
  reference: string,
): Promise<boolean> {
  const { name, installation } = connection
  const answer = await ask(connection, intentById(id, await credentialsOf(connection)))
  if (isMissing(answer)) return false
  const intent = intentIn(answer.json)
  if (!intent) throw new Unanswered(`${name}: it shows a payment that cannot be read`)
  return isMarked(intent, installation) && intent.metadata?.ripper_reference === reference
}

/** The handle is also the id of the authorisation. */
export function intentIdOf({
  handle,
  acquirer_transaction_id,
}: Pick<AuthorisationName, 'handle' | 'acquirer_transaction_id'>): string | null {
  return handle ?? acquirer_transaction_id
}

/** All refunds of what was captured. Stripe is not asked if nothing was. Throws Unanswered or NotSent. */
export async function refundsAt(
  connection: AcquirerConnection<StripeCredentials>,
  intent: Pick<TheirIntent, 'id' | ReceivedMember>,
): Promise<TheirRefund[]> {
  const { name } = connection
  const { id, status } = intent
  if (status !== 'succeeded') return []
  const credentials = await credentialsOf(connection)
  const refunds: TheirRefund[] = []
  for (let pages = 0; pages < refund_pages_max; pages++) {
    const request = refundsOf(id, refunds.at(-1)?.id ?? null, credentials)
    const page = pageIn((await ask(connection, request)).json)
    const some = page?.data.map(refundIn)
    if (!some?.every((refund) => refund !== null)) {
      throw new Unanswered(`${name}: it shows refunds that cannot be read`)
    }
    refunds.push(...some)
    if (!page!.has_more || some.length === 0) return refundsOfCapture(intent, refunds)
  }
  throw new Unanswered(`${name}: more refunds of a payment than are read`)
}

/** More pages than an account has disputes in days. */
const dispute_pages_max = 50

/** What is in a status of another version is left out. Throws Unanswered or NotSent. */
export async function disputesAt(
  connection: AcquirerConnection<StripeCredentials>,
  since: Date,
): Promise<ListedDispute[]> {
  const { name } = connection
  const credentials = await credentialsOf(connection)
  const disputes: ListedDispute[] = []
  let after: string | null = null
  for (let pages = 0; pages < dispute_pages_max; pages++) {
    const page = pageIn((await ask(connection, disputesSince(since, after, credentials))).json)
    if (!page) throw new Unanswered(`${name}: it shows disputes that cannot be read`)
    for (const each of page.data) {
      const found = disputeIn(each)
      if (!found) continue
      const { intent_id: authorisation_transaction_id, ...told } = found
      disputes.push({ ...told, authorisation_transaction_id })
    }
    const last = (page.data.at(-1) as { id?: unknown } | undefined)?.id
    if (!page.has_more || typeof last !== 'string') return disputes
    after = last
  }
  throw new Unanswered(`${name}: more disputes than are read`)
}

/** Null if it is unknown there. Throws Unanswered or NotSent. */
export async function disputeAt(
  connection: AcquirerConnection<StripeCredentials>,
  id: string,
): Promise<DisputeTold | null> {
  const answer = await ask(connection, disputeById(id, await credentialsOf(connection)))
  const found = isMissing(answer) ? null : disputeIn(answer.json)
  if (!found) return null
  const { intent_id: _, ...told } = found
  return told
}

/** The answer to a query: a success, or a 404 from Stripe itself. Throws Unanswered or NotSent. */
export async function ask(
  { wire, name }: Pick<AcquirerConnection<StripeCredentials>, 'wire' | 'name'>,
  request: WireRequest,
): Promise<WireAnswer> {
  const answer = await wire.send(request)
  if (isGood(answer) || isMissing(answer)) return answer
  throw new Unanswered(notShown(name, answer))
}
