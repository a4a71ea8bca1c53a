// GET /dashboard/api/me: who one is, and what one may do where.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { version } from '../../kernel/version.ts'
import type { Context } from '../../payments/context.ts'
import { listMembershipsOf } from '../../users/member.ts'
import { permissionsOf, roles, staffPermissions } from '../../users/roles.ts'
import { locksAt } from '../../users/session.ts'
import { drop_plain_token, hasNeedlessCookie } from '../../users/session-cookie.ts'
import { signedInPerson } from '../../users/signed-in.ts'
import { countRecoveryCodes } from '../../users/user.ts'

const granted = z.array(z.enum(staffPermissions))
export const permissionsView = z.object({ test: granted, live: granted })

export const readMe = route({
  where: 'whole',
  method: 'GET',
  path: '/dashboard/api/me',
  tag: 'Dashboard',
  summary: 'Who one is',
  access: signedInPerson(),
  dialect: 'dashboard',
  status: 200,
  reply: z.object({
    user: z.object({
      user_id: z.string(),
      email: z.string(),
      name: z.string(),
      is_operator: z.boolean(),
    }),
    methods: z.object({
      passkeys: z.number(),
      has_password: z.boolean(),
      has_one_time_codes: z.boolean(),
      recovery_codes_left: z.number(),
    }),
    session: z.object({
      session_id: z.string(),
      proved_at: z.string(),
      locks_at: z.string(),
      expires_at: z.string(),
    }),
    memberships: z.array(
      z.object({
        merchant_id: z.string(),
        merchant_name: z.string(),
        role: z.enum(roles),
        is_live: z.boolean(),
        permissions: permissionsView,
      }),
    ),
    /** For how many days sessions that nobody paid are kept. */
    unpaid_days: z.object({ test: z.int(), live: z.int() }),
    version: z.string(),
    /** The documentation is at the service's own address, which is another one where the dashboard has a host to itself. */
    docs_url: z.string(),
    now: z.string(),
  }),
  refusals: [],
  handle: async ({ sql, addresses, unpaid_days }: Context, { holder, caller, now, setCookie }) => {
    const { session, user_id, is_operator } = holder
    // The browser keeps the strict cookie, so the other one, which is for those that do not, can go.
    if (hasNeedlessCookie(caller)) setCookie(drop_plain_token)
    const { email, name, passkeys, has_password, has_one_time_codes } = session
    const seen_at = caller.header('rip-active') === '1' ? now : session.seen_at
    const memberships = await listMembershipsOf(sql, user_id)
    return {
      user: { user_id, email, name, is_operator },
      methods: {
        passkeys,
        has_password,
        has_one_time_codes,
        recovery_codes_left: await countRecoveryCodes(sql, user_id),
      },
      session: {
        session_id: session.session_id,
        proved_at: timestamp(session.proved_at),
        locks_at: timestamp(locksAt({ seen_at })),
        expires_at: timestamp(session.expires_at),
      },
      memberships: memberships.map((each) => ({ ...each, permissions: permissionsOf(each.role) })),
      unpaid_days,
      version: version(),
      docs_url: new URL('/docs', addresses.base_url()).href,
      now: timestamp(now),
    }
  },
})
