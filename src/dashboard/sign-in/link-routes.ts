// Coming in by a link: reading it, and using it up.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { openLink } from '../../users/links.ts'
import { askForPasskey } from '../../users/passkeys.ts'
import { emailOf, redeem, userIdOf } from '../../users/redeem.ts'
import { roles } from '../../users/roles.ts'
import { sessionOfCaller, visitor } from '../../users/signed-in.ts'
import { limitTries } from '../../users/tries.ts'
import { creationOptions, newPasskey } from '../passkey-schemas.ts'
import { rememberBrowser, sendToken } from './send-token.ts'

const secret = z.string().min(1).max(200)
const person = { email: z.string().max(254), name: z.string().max(200) }

const shared = {
  method: 'POST' as const,
  tag: 'Dashboard',
  access: visitor,
  dialect: 'dashboard' as const,
  status: 200,
}
const link_refusals = ['link_unknown', 'link_used', 'link_withdrawn', 'link_expired', 'too_many_attempts'] as const

export const readLink = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/links/read',
  summary: 'Say what a link is for',
  body: z.strictObject({ secret }),
  reply: z.object({
    purpose: z.enum(['welcome', 'invite', 'reset']),
    email: z.string().nullable(),
    name: z.string().nullable(),
    merchant_name: z.string().nullable(),
    role: z.enum(roles).nullable(),
    /** Whoever uses it becomes an operator of the installation. */
    is_operator: z.boolean(),
    /** The address has an account: one joins by signing in, then sending the link without a passkey or password. */
    account_exists: z.boolean(),
    expires_at: z.string(),
  }),
  refusals: link_refusals,
  handle: async (context: Context, request) => {
    limitTries(context, request)
    const link = await openLink(context, request.body.secret)
    const { purpose, email, user_name: name, merchant_name, role, is_operator } = link
    return {
      purpose,
      email,
      name,
      merchant_name,
      role,
      is_operator,
      account_exists: link.holder_id !== null,
      expires_at: timestamp(link.expires_at),
    }
  },
})

export const askForPasskeyByLink = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/links/passkey-options',
  summary: 'What a browser needs to make a passkey for the account of a link',
  body: z.strictObject({ secret, ...person }),
  reply: creationOptions,
  refusals: link_refusals,
  handle: async (context: Context, request) => {
    limitTries(context, request)
    const { secret, email: typed, name } = request.body
    const link = await openLink(context, secret)
    const { page } = request.holder
    const purpose = `link ${link.link_id}` as const
    const user_id = userIdOf(context, link)
    const email = emailOf(link, typed)
    const options = await askForPasskey(
      context,
      { page, purpose },
      { user_id, email, credential_ids: [], name: name.trim() || (link.user_name ?? email) },
    )
    return { options }
  },
})

export const redeemLink = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/links/redeem',
  summary: 'Use a link up: make an account, join a merchant, or open an account anew',
  body: z.strictObject({
    secret,
    ...person,
    passkey: newPasskey.optional(),
    password: z.string().max(1000).optional(),
  }),
  reply: z.object({
    recovery_codes: z.array(z.string()),
    /** The merchant that was joined. */
    merchant_id: z.string().nullable(),
  }),
  refusals: [...link_refusals, 'sign_in_required', 'resource_not_found'],
  handle: async (context: Context, request) => {
    limitTries(context, request)
    const { page } = request.holder
    const { secret, email, name, passkey = null, password = null } = request.body
    const link = await openLink(context, secret)
    const session = await sessionOfCaller(context, request.caller, page)
    const arrival = { email, name, passkey, password }
    const { entry, recovery_codes } = await redeem(context, { link, arrival, page }, { sender: request, session })
    if (entry !== null) {
      const { token, user_id, at } = entry
      sendToken(request, page, token)
      if (link.purpose === 'reset') rememberBrowser(context, request, { page, user_id }, at)
    }
    return { recovery_codes, merchant_id: link.merchant_id }
  },
})
