// The holds that wait for a decision, by their deadline: what the rules will do, and when.

import { z } from 'zod'
import { beginOf, limit_max, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import {
  type ListedHold,
  listWaitingHolds,
  positionOfHold,
  waitedFors,
} from '../../payments/reading/hold-list-store.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { heldPaymentView, viewHeldPayment } from '../../payments/reading/read-holds.ts'
import { otherPaymentsView } from '../../payments/views.ts'
import type { Member } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { idOfActor, peopleIn } from '../people.ts'
import { shownEmail } from '../shoppers.ts'

const listedHold = heldPaymentView.extend({
  customer_email: z.string().nullable(),
  other_payments: otherPaymentsView,
  /** Who escalated it, by name for those who may see it, and their note, which may name the shopper. */
  escalation: z.object({ by: z.string().nullable(), note: z.string().nullable() }).nullable(),
})

export const listHoldsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/holds',
  tag: 'Dashboard',
  summary: 'The holds that wait for a decision, by their deadline; a page of 100 by default',
  access: signedIn('read_transactions'),
  dialect: 'dashboard',
  query: z.strictObject({
    ...pageQuery,
    mode: filterChoice(['test', 'live']),
    waits_for: filterChoice(waitedFors).optional(),
  }),
  status: 200,
  reply: pageView(listedHold),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring }: Context, { holder, query, now }) => {
    const { merchant_id } = holder
    const { mode, after, waits_for } = query
    // As many as a person decides in a sitting.
    const limit = Number(query.limit ?? limit_max)
    const asked = {
      purpose: 'hold cursor',
      merchant_id,
      filters: [mode, ...(waits_for ? [waits_for] : [])],
      limit,
      after,
    }
    const behind = beginOf(keyring, asked)
    const found = await listWaitingHolds(sql, { merchant_id, mode, waits_for }, { behind, limit: limit + 1 })
    const { rows, ...page } = pageOf(keyring, asked, found, positionOfHold)
    const lines = rows.flatMap(({ escalation, payment_id }) =>
      escalation ? [{ actor: escalation.actor, subject: payment_id }] : [],
    )
    const people = await peopleIn(sql, lines, holder)
    return { data: rows.map((hold) => viewListed(hold, { holder, people, now })), ...page }
  },
})

function viewListed(
  hold: ListedHold,
  { holder, people, now }: { holder: Pick<Member, 'can'>; people: Record<string, string>; now: Date },
): z.input<typeof listedHold> {
  const { escalation, mode } = hold
  return {
    ...viewHeldPayment(hold, now),
    customer_email: shownEmail(hold.customer_email, mode, holder),
    other_payments: hold.other_payments,
    escalation: escalation && {
      by: people[idOfActor(escalation.actor)] ?? null,
      note: holder.can('read_shoppers', mode) ? escalation.note : null,
    },
  }
}
