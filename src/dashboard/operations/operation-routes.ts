// What acquirers never answered: the list, and a person's word on one of them.

import { z } from 'zod'
import { looksLikeCardNumber } from '../../cards/card-data.ts'
import { route } from '../../http/route.ts'
import { noControls, timestamp, timestampOrNull } from '../../kernel/values.ts'
import { writerBy } from '../../merchants/write-as.ts'
import { outcomesOf, resolutions, resolveOperation } from '../../payments/acquirer-operations/resolve.ts'
import type { Context } from '../../payments/context.ts'
import { listBrakes } from '../../payments/orphans/orphan-brake-store.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { listUnanswered } from '../../payments/reading/operator-store.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { shownEmail } from '../shoppers.ts'
import { findOperation } from './operation-store.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const, status: 200 }
/** Of all merchants together there are seldom more than a few. */
const operations_max = 200

export const listOperationsHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/operations',
  summary: 'Operations that the acquirer has not answered, oldest first',
  access: signedIn('read_transactions'),
  query: z.strictObject({ mode: filterChoice(['test', 'live']) }),
  reply: z.object({
    operations: z.array(
      z.object({
        operation_id: z.string(),
        kind: z.string(),
        state: z.string(),
        payment_id: z.string(),
        amount: z.int(),
        currency: z.string(),
        order_reference: z.string().nullable(),
        customer_email: z.string().nullable(),
        mode: z.enum(['test', 'live']),
        acquirer: z.string(),
        sent_at: z.string(),
        next_look_at: z.string().nullable(),
        waits_for_person_since: z.string().nullable(),
        outcomes: z.array(z.enum(resolutions)),
      }),
    ),
    has_more: z.boolean(),
    /** Whether a person has stopped all reversals of what nobody here knows. */
    brake: z.object({ is_pulled: z.boolean() }),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, query, now }) => {
    const found = await listUnanswered(sql, {
      merchant_id: holder.merchant_id,
      waiting_for_person: false,
      now,
      limit: operations_max + 1,
    })
    const brakes = await listBrakes(sql, { acquirer: null, released_too: false })
    const shown = found.slice(0, operations_max).filter(({ mode }) => mode === query.mode)
    return {
      operations: shown.map((operation) => ({
        operation_id: operation.operation_id,
        kind: operation.kind,
        state: operation.state,
        payment_id: operation.payment_id,
        amount: operation.amount,
        currency: operation.currency,
        order_reference: operation.order_reference,
        customer_email: shownEmail(operation.customer_email, operation.mode, holder),
        mode: operation.mode,
        acquirer: operation.acquirer,
        sent_at: timestamp(operation.sent_at),
        next_look_at: timestampOrNull(operation.next_check_at),
        waits_for_person_since: timestampOrNull(operation.waits_for_person_since),
        outcomes: outcomesOf(operation),
      })),
      has_more: found.length > operations_max,
      brake: { is_pulled: brakes.length > 0 },
    }
  },
})

const oneLine = (length_max: number) => z.string().trim().min(1).max(length_max).regex(noControls, 'must be one line')

export const resolveOperationHere = route({
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/operations/{operation_id}/resolve',
  summary: 'Settle an operation by what a person learned from the acquirer',
  access: signedIn('resolve_operations', {
    gravity: 'money',
    mode: async ({ sql }, { merchant_id = '', operation_id = '' }) => {
      if (!/^[0-9a-f]{32}$/.test(operation_id)) return null
      return (await findOperation(sql, { merchant_id, operation_id }))?.mode ?? null
    },
  }),
  body: z.strictObject({
    outcome: z.enum(resolutions),
    reason: oneLine(200),
    acquirer_transaction_id: z
      .string()
      .regex(/^[\x21-\x7e]{1,100}$/)
      .refine((id) => !looksLikeCardNumber(id), 'looks like a card number')
      .nullish(),
  }),
  status: 204,
  reply: z.null(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, params, body, request_id }) => {
    const { merchant_id, user_id } = holder
    const operation_id = params.operation_id!
    const found = await findOperation(context.sql, { merchant_id, operation_id })
    if (!found) throw notThere()
    const { payment_id } = found
    await resolveOperation(
      context,
      { merchant_id, payment_id },
      {
        operation_id,
        outcome: body.outcome,
        reason: body.reason,
        by: user_id,
        acquirer_transaction_id: body.acquirer_transaction_id ?? null,
        // Judged at the door alone: what the acquirer did does not depend on who says so.
        author: { ...writerBy(holder, request_id), judge: null },
      },
    )
    return null
  },
})
