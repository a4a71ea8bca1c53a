// Filters of lists that a person keeps by a name, at one merchant. Nobody else sees them.

import { z } from 'zod'
import { looksLikeCardNumber } from '../../cards/card-data.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { beginAs } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { must, oneLine, text } from '../../payments/fields.ts'
import { signedIn } from '../../users/signed-in.ts'
import { dropFilter, filteredLists, listSavedFilters, saved_filters_max, saveFilter } from './saved-filter-store.ts'

const shared = {
  where: 'whole' as const,
  path: '/dashboard/api/{merchant_id}/saved-filters' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  access: signedIn('read_transactions', { mode: 'any' }),
}

const list = z.enum(filteredLists, must(`be one of ${filteredLists.join(', ')}`))

export const listSavedFiltersHere = route({
  ...shared,
  method: 'GET',
  summary: "The person's own saved filters",
  status: 200,
  reply: z.object({ saved: z.array(z.object({ list, name: z.string(), filters: z.string() })) }),
  refusals: [],
  handle: async ({ sql }: Context, { holder }) => ({ saved: await listSavedFilters(sql, holder) }),
})

export const saveFilterHere = route({
  ...shared,
  method: 'POST',
  summary: 'Save a filter by a name; null drops it',
  body: z.strictObject({
    list,
    name: oneLine(60),
    filters: text(1000)
      .regex(/^\?[\w.~!*'()%&=+:,@-]+$/, must('be the query of an address'))
      .refine((query) => !looksLikeCardNumber(query), must('not contain a card number'))
      .nullable()
      .meta({ description: "the query of the list's address, such as ?status=held" }),
  }),
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async ({ sql }: Context, { holder, body: { filters, ...named } }) => {
    const { merchant_id, user_id } = holder
    const saved = { merchant_id, user_id, ...named }
    if (filters === null) {
      await beginAs(sql, holder, (tx) => dropFilter(tx, saved))
      return null
    }
    // Another window may take the place or the name meanwhile: the next look finds it taken.
    const is_saved = await beginAs(sql, holder, async (tx) => {
      for (let tries = 0; tries < 3; tries++) if (await saveFilter(tx, { ...saved, filters })) return true
      return false
    })
    if (is_saved) return null
    const words = `At most ${saved_filters_max} filters of a list can be saved.`
    throw new Refusal('invalid_request', words, { field: 'name', fault: 'too_many', bound: saved_filters_max })
  },
})
