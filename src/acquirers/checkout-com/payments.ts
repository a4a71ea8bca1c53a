// Payments and actions of Checkout.com: only the members that we rely on, validated before they are read.

import { z } from 'zod'
import { Unanswered } from '../acquirer.ts'
import { expiryOf } from '../answers.ts'
import type { AnswerEnvironment } from '../environment.ts'
import { isGood, jsonIn, type WireAnswer } from '../wire.ts'
import { environmentAt } from './credentials.ts'

const text = z.string().nullish().default(null)
const count = z.int().nonnegative()

const action = z.object({
  id: z.string().min(1),
  type: text,
  reference: text,
  amount: count.nullish().default(null),
  /** Null until the action is carried out. */
  approved: z.boolean().nullish().default(null),
  response_code: text,
  response_summary: text,
})

const payment = z.object({
  id: z.string().min(1).max(100),
  status: z.string(),
  amount: count,
  currency: z.string(),
  reference: text,
  approved: z.boolean().nullish().default(null),
  response_code: text,
  response_summary: text,
  requested_on: text,
  processed_on: text,
  /** When what is reserved goes by itself. */
  expires_on: text.catch(null),
  /** Words of the network. If they are malformed, the payment stays readable. */
  processing: z.object({ partner_merchant_advice_code: z.string().nullish() }).nullish().default(null).catch(null),
  /** What became of the 3-D Secure data. If it is malformed, the payment stays readable. */
  '3ds': z.object({ downgraded: z.boolean().nullish() }).nullish().default(null).catch(null),
  metadata: z.record(z.string(), z.unknown()).nullish().default(null),
  balances: z
    .object({
      total_authorized: count.nullish(),
      total_captured: count.nullish(),
      total_refunded: count.nullish(),
      available_to_refund: count.nullish(),
      available_to_capture: count.nullish(),
    })
    .nullish()
    .default(null),
  _links: z
    .object({
      redirect: z.unknown(),
      self: z.object({ href: z.string() }).nullish().catch(null),
    })
    .partial()
    .nullish()
    .default(null),
})

const page = z.object({
  data: z.array(z.unknown()),
  _links: z.object({ next: z.unknown() }).partial().nullish(),
})

export type TheirAction = z.infer<typeof action>
export type TheirPayment = z.infer<typeof payment>

export function paymentIn(json: unknown): TheirPayment | null {
  return payment.safeParse(json).data ?? null
}

/** A list of payments. `whole` is false if there are more of them. Throws Unanswered. */
export function pageIn(answer: WireAnswer): { data: unknown[]; whole: boolean } {
  const list = page.safeParse(answer.json).data
  if (!isGood(answer) || !list) throw new Unanswered(`no list of payments (${answer.status})`)
  return { data: list.data, whole: !list._links?.next }
}

/** Throws Unanswered. */
export function actionsIn(answer: WireAnswer): TheirAction[] {
  const actions = z.array(action).safeParse(jsonIn(answer.text)).data
  if (!isGood(answer) || !actions) throw new Unanswered(`no list of actions (${answer.status})`)
  return actions
}

/** The address of a payment shows its environment. */
export function environmentOf({ _links }: TheirPayment): AnswerEnvironment {
  return environmentAt(_links?.self?.href)
}

/** When Checkout.com lets go by itself what is reserved. Only a payment that is read has the time of its request. */
export function expiryIn({ requested_on, processed_on, expires_on }: TheirPayment): { expires_at?: Date } {
  const authorised_on = requested_on ?? processed_on
  if (authorised_on === null || expires_on === null) return {}
  return expiryOf(new Date(authorised_on), new Date(expires_on))
}

/** Whether the payment has our mark. */
export function isMarked({ metadata }: TheirPayment, installation: string): boolean {
  return metadata?.ripper_installation === installation
}
