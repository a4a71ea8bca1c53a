// Queries to Checkout.com.

import { Unanswered } from '../acquirer.ts'
import { type AcquirerConnection, credentialsOf, notTheirs } from '../connector.ts'
import { isGood, notShown, type WireAnswer, type WireRequest } from '../wire.ts'
import { isMissing } from './answers.ts'
import type { CheckoutCredentials } from './credentials.ts'
import { paymentIn, type TheirPayment } from './payments.ts'
import { byId } from './requests.ts'

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
