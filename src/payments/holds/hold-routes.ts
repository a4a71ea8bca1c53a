// POST /v1/payments/{payment_id}/hold/capture, …/void and …/escalate: a merchant decides a held payment.

import { z } from 'zod'
import { looksLikeCardNumber } from '../../cards/card-data.ts'
import { type SecretKey, secretKey } from '../../http/access.ts'
import { type KeyRules, keyRules, stillRunning } from '../../http/idempotency.ts'
import { type RouteRequest, route } from '../../http/route.ts'
import { admitKey } from '../../merchants/admit.ts'
import { writerBy } from '../../merchants/write-as.ts'
import { listOperations } from '../acquirer-operations/operation-store.ts'
import type { RefusalReason } from '../acquirer-operations/outcome-by-kind.ts'
import type { Context } from '../context.ts'
import { capturedAmount, must, optionalText } from '../fields.ts'
import { type Decision, notHeld } from '../hold.ts'
import type { OperationState } from '../operation.ts'
import type { Cause } from '../outcome.ts'
import type { PaymentKey } from '../payment.ts'
import { modeOfPayment } from '../reading/mode-store.ts'
import { decideHold, operationRefused } from './decide-hold.ts'
import { escalateHold } from './escalate-hold.ts'
import { heldView, readHeld } from './read-held.ts'

const shared = {
  method: 'POST' as const,
  tag: 'Payments',
  access: secretKey('decide_holds'),
  mode: { of: modeOfPayment, unknown: notHeld },
  dialect: 'checkout' as const,
  idempotency: 'required' as const,
  // An amount in the address must not become a capture of all.
  query: z.strictObject({}),
  body_optional: true as const,
  status: 200,
  reply: heldView,
  admit: admitKey,
}

const capture_summary = 'Capture a held payment'
const void_summary = 'Release a held payment'

// Unknown fields are refused.
const noFields = z.strictObject({})
const captureFields = {
  amount: capturedAmount
    .optional()
    .meta({ description: 'how much to capture; the rest is released. All of it by default' }),
}

export const captureHold = decisionRoute('capture', capture_summary, z.strictObject(captureFields))
export const voidHold = decisionRoute('void', void_summary, noFields)
export const escalateHeld = escalateRoute(noFields)

/** For people: their note goes into the journal, and so into the timeline. */
export const captureWithNote = decisionRoute(
  'capture',
  capture_summary,
  noteBody('why it is captured').extend(captureFields),
)
export const voidWithNote = decisionRoute('void', void_summary, noteBody('why it is voided'))
export const escalateWithNote = escalateRoute(noteBody('what should be looked at'))

function noteBody(description: string) {
  return z.strictObject({
    note: optionalText(255)
      .refine((text) => !looksLikeCardNumber(text ?? ''), must('not contain a card number'))
      .meta({ description }),
  })
}

function causeOf({ holder, request_id, body }: Pick<Request, 'holder' | 'request_id'> & { body: unknown }): Cause {
  const { note } = (body ?? {}) as { note?: string | null }
  return { ...writerBy(holder, request_id), ...(note && { note: { note } }) }
}

function escalateRoute<Body extends z.ZodType>(body: Body) {
  return route({
    ...shared,
    body,
    path: '/v1/payments/{payment_id}/hold/escalate',
    summary: 'Have a person look at a held payment',
    refusals: ['resource_not_found', 'hold_already_decided'],
    handle: async (context: Context, request) => {
      const key = request.reserveKey()
      await escalateHold(context, paymentOf(request), { cause: causeOf(request), key })
      return readHeld(context, paymentOf(request))
    },
    resume: (context: Context, request) => readHeld(context, paymentOf(request)),
  })
}

function decisionRoute<Body extends z.ZodType>(kind: Decision, summary: string, body: Body) {
  return route({
    ...shared,
    body,
    path: `/v1/payments/{payment_id}/hold/${kind}`,
    summary,
    accepted: 'The acquirer carries it out, or refuses it, later: the payment as it stands',
    refusals: ['resource_not_found', 'hold_already_decided', 'operation_refused'],
    handle: async (context: Context, request) => {
      const end = await decideHold(context, paymentOf(request), {
        kind,
        amount: (request.body as { amount?: number } | undefined)?.amount,
        asked_by: 'merchant',
        cause: causeOf(request),
        key: request.reserveKey(),
      })
      if (end === 'accepted') request.answerAccepted()
      return readHeld(context, paymentOf(request))
    },
    resume: async (context: Context, request) => {
      const { key, audience, now } = request
      const state = await decisionBegunUnder(context, paymentOf(request), { key, audience, now })
      if (state === 'accepted') request.answerAccepted()
      return readHeld(context, paymentOf(request))
    },
  })
}

type Request = Pick<RouteRequest<SecretKey, object, undefined, 'required'>, 'holder' | 'params' | 'request_id'>

function paymentOf({ holder, params }: Request): PaymentKey {
  return { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
}

/** The result so far. The request that reserved the key may still run, or may have died before it could answer. */
export async function decisionBegunUnder(
  { sql }: Pick<Context, 'sql'>,
  payment: PaymentKey,
  repeat: { key: string; audience: string; now: Date; rules?: KeyRules },
): Promise<OperationState> {
  const operations = await listOperations(sql, payment)
  const operation = operations.findLast(
    ({ idempotency_key: key, idempotency_audience: audience }) =>
      // One of an early release does not say whose the key is.
      key === repeat.key && (audience ?? repeat.audience) === repeat.audience,
  )
  if (!operation || (operation.state === 'sent' && operation.answer_by > repeat.now)) {
    throw stillRunning(repeat.rules ?? keyRules.required)
  }
  if (operation.state !== 'refused' && operation.state !== 'not_sent') return operation.state
  const { reason, decline_code } = operation.answer as RefusalReason
  throw operationRefused(operation.kind, { reason, decline_code })
}
