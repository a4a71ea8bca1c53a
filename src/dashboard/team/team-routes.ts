// The team of a merchant: members, invitations, roles.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { listInvitations } from '../../users/link-store.ts'
import type { MadeLink } from '../../users/links.ts'
import { listMembers } from '../../users/member.ts'
import { permissionsOf, roles } from '../../users/roles.ts'
import { signedIn } from '../../users/signed-in.ts'
import { changeRole, invite, makeResetLink, removeMember, review, withdraw } from '../../users/team.ts'
import { permissionsView } from '../account/me.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const, status: 200 }
const grave = signedIn('manage_members', { gravity: 'grave' })
const posted = { ...shared, method: 'POST' as const, access: grave }
const nothing = { body: z.strictObject({}), body_optional: true as const }
const role = z.enum(roles)

export const readTeam = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/team',
  summary: 'Who works for the merchant, who is invited, and what each role may do',
  access: signedIn('manage_members'),
  reply: z.object({
    members: z.array(
      z.object({
        user_id: z.string(),
        email: z.string(),
        name: z.string(),
        role,
        has_passkey: z.boolean(),
        has_one_time_codes: z.boolean(),
        is_disabled: z.boolean(),
        seen_at: z.string().nullable(),
        reviewed_at: z.string().nullable(),
        created_at: z.string(),
        invited_by: z.string().nullable(),
      }),
    ),
    invitations: z.array(
      z.object({
        link_id: z.string(),
        email: z.string(),
        role,
        made_by: z.string(),
        expires_at: z.string(),
      }),
    ),
    roles: z.array(z.object({ role, permissions: permissionsView })),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, now }) => {
    const { merchant_id } = holder
    const members = await listMembers(sql, merchant_id)
    const invitations = await listInvitations(sql, merchant_id, now)
    return {
      members: members.map(({ disabled_at, ...member }) => ({
        ...member,
        is_disabled: disabled_at !== null,
        seen_at: timestampOrNull(member.seen_at),
        reviewed_at: timestampOrNull(member.reviewed_at),
        created_at: timestamp(member.created_at),
      })),
      invitations: invitations.map(({ link_id, email, role, made_by, expires_at }) => ({
        link_id,
        email: email!,
        role: role!,
        made_by,
        expires_at: timestamp(expires_at),
      })),
      roles: roles.map((each) => ({ role: each, permissions: permissionsOf(each) })),
    }
  },
})

export const inviteMember = route({
  where: 'whole',
  ...posted,
  path: '/dashboard/api/{merchant_id}/team/invitations',
  summary: 'Make a link by which somebody joins',
  // A repeat gets the first answer with its link, which a second one would have withdrawn.
  idempotency: 'optional',
  body: z.strictObject({ email: z.string().max(1000), role }),
  reply: z.object({
    link_id: z.string(),
    url: z.string(),
    email: z.string(),
    role,
    expires_at: z.string(),
  }),
  refusals: [],
  handle: async (context: Context, request) => {
    const { holder, body, recordReply } = request
    const viewInvited = ({ link, url }: MadeLink) => {
      const { link_id, email, expires_at } = link
      return { link_id, url, email: email!, role: body.role, expires_at: timestamp(expires_at) }
    }
    const made = await invite(context, holder, body, request, (made) => recordReply(viewInvited(made)))
    return viewInvited(made)
  },
})

export const withdrawInvitation = route({
  where: 'whole',
  ...posted,
  method: 'DELETE',
  path: '/dashboard/api/{merchant_id}/team/invitations/{link_id}',
  summary: 'Withdraw an invitation',
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, request) => {
    await withdraw(context, request.holder, request.params.link_id!, request)
    return null
  },
})

export const changeMemberRole = route({
  where: 'whole',
  ...posted,
  path: '/dashboard/api/{merchant_id}/team/{user_id}/role',
  summary: 'Give a member another role',
  body: z.strictObject({ role }),
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, request) => {
    const { user_id } = request.params
    const asked = { user_id: user_id!, role: request.body.role }
    await changeRole(context, request.holder, asked, request)
    return null
  },
})

export const removeTeamMember = route({
  where: 'whole',
  ...posted,
  method: 'DELETE',
  path: '/dashboard/api/{merchant_id}/team/{user_id}',
  summary: 'Remove a member, which ends their sessions',
  status: 204,
  reply: z.null(),
  refusals: ['invalid_request'],
  handle: async (context: Context, request) => {
    await removeMember(context, request.holder, request.params.user_id!, request)
    return null
  },
})

export const reviewTeam = route({
  where: 'whole',
  ...posted,
  ...nothing,
  path: '/dashboard/api/{merchant_id}/team/review',
  summary: 'Note that all members and their roles were looked through',
  access: signedIn('manage_members'),
  reply: z.object({ reviewed_at: z.string() }),
  refusals: [],
  handle: async (context: Context, request) => ({
    reviewed_at: timestamp(await review(context, request.holder, request)),
  }),
})

export const makeMemberResetLink = route({
  where: 'whole',
  ...posted,
  ...nothing,
  path: '/dashboard/api/{merchant_id}/team/{user_id}/reset-link',
  summary: "A link that opens a member's account anew",
  reply: z.object({ url: z.string(), expires_at: z.string() }),
  refusals: [],
  handle: async (context: Context, request) => {
    const { user_id } = request.params
    const { link, url } = await makeResetLink(context, request.holder, user_id!, request)
    return { url, expires_at: timestamp(link.expires_at) }
  },
})
