// All merchants of the installation, for its operators: what they are called, and a new one, whose owner its maker is.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { storeKey } from '../../http/key-gate.ts'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { shownName } from '../../merchants/change-integration.ts'
import { createMerchantIn } from '../../merchants/manage.ts'
import { listNewestMerchants } from '../../merchants/store.ts'
import { withdrawResetsOf } from '../../users/link-store.ts'
import { addMember } from '../../users/redeem.ts'
import { lockOperator } from '../../users/rights.ts'
import { signedInOperator } from '../../users/signed-in.ts'
import { authorOf } from '../../users/start-session.ts'

const shared = {
  where: 'whole' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
}
const shown_max = 200

export const listMerchantsHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/system/merchants',
  summary: 'The merchants of the installation, the newest first, whoever their members are',
  access: signedInOperator(),
  status: 200,
  reply: z.object({
    merchants: z.array(
      z.object({
        merchant_id: z.string(),
        name: z.string(),
        status: z.enum(['active', 'suspended']),
        is_live: z.boolean(),
        created_at: z.string(),
      }),
    ),
    has_more: z.boolean(),
  }),
  refusals: [],
  handle: async ({ sql }: Context) => {
    const merchants = await listNewestMerchants(sql, shown_max + 1)
    return {
      merchants: merchants.slice(0, shown_max).map(({ created_at, live, ...merchant }) => ({
        merchant_id: merchant.merchant_id,
        name: merchant.name,
        status: merchant.status,
        is_live: live,
        created_at: timestamp(created_at),
      })),
      has_more: merchants.length > shown_max,
    }
  },
})

export const makeMerchantHere = route({
  ...shared,
  method: 'POST',
  path: '/dashboard/api/system/merchants',
  summary: 'Make a merchant in test mode, whose owner one becomes',
  access: signedInOperator({ gravity: 'grave' }),
  // A repeat gets the first answer: else a lost one would make a second merchant.
  idempotency: 'optional',
  body: z.strictObject({ name: shownName }),
  status: 201,
  reply: z.object({ merchant_id: z.string() }),
  refusals: [],
  handle: async (context: Context, { holder, body, now: at, recordReply, ...sender }) => {
    const { ids, world } = context
    const { user_id } = holder
    const author = authorOf(user_id, sender)
    const writer = { ids, clock: world.clock, ...author, judge: null }
    const asked = { ...body, live: false, live_enabled: false, acquiring_profile: null }
    return context.sql.begin(async (tx) => {
      await lockOperator(tx, holder, { changing: true })
      await withdrawResetsOf(tx, user_id, at)
      const { merchant_id } = await createMerchantIn(tx, writer, asked)
      const owner = { merchant_id, user_id, role: 'owner' as const, invited_by: author.actor, at }
      await addMember(tx, context, owner, author)
      const reply = { merchant_id }
      await storeKey(tx, recordReply(reply))
      return reply
    })
  },
})
