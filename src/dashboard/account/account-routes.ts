// My account: the ways in that a person has, and their sessions.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import {
  addPasskey,
  beginOneTimeCodes,
  confirmOneTimeCodes,
  endOtherSessions,
  endOwnSession,
  removeOneTimeCodes,
  removePasskey,
  renewRecoveryCodes,
  setPassword,
} from '../../users/account.ts'
import { askForPasskey, listPasskeys } from '../../users/passkeys.ts'
import { listUserSessions } from '../../users/session.ts'
import { signedInPerson } from '../../users/signed-in.ts'
import { countRecoveryCodes } from '../../users/user.ts'
import { creationOptions, newPasskey } from '../passkey-schemas.ts'
import { rememberBrowser } from '../sign-in/send-token.ts'
import { browserOf } from './browser-name.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const, status: 200 }
const posted = { ...shared, method: 'POST' as const, access: signedInPerson({ gravity: 'grave' }) }
const removed = { ...posted, method: 'DELETE' as const, status: 204, reply: z.null() }
const nothing = { body: z.strictObject({}), body_optional: true as const }

export const readAccount = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/me/account',
  summary: 'The ways in that one has, and where one is signed in',
  access: signedInPerson(),
  reply: z.object({
    passkeys: z.array(
      z.object({
        credential_id: z.string(),
        name: z.string(),
        created_at: z.string(),
        used_at: z.string().nullable(),
        is_backed_up: z.boolean(),
      }),
    ),
    has_password: z.boolean(),
    has_one_time_codes: z.boolean(),
    recovery_codes_left: z.number(),
    sessions: z.array(
      z.object({
        session_id: z.string(),
        created_at: z.string(),
        seen_at: z.string(),
        address: z.string(),
        browser: z.string(),
        is_this: z.boolean(),
      }),
    ),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, now }) => {
    const { user_id, session } = holder
    const passkeys = await listPasskeys(sql, user_id)
    const sessions = await listUserSessions(sql, user_id, now)
    return {
      passkeys: passkeys.map(({ created_at, used_at, ...passkey }) => ({
        ...passkey,
        created_at: timestamp(created_at),
        used_at: timestampOrNull(used_at),
      })),
      has_password: session.has_password,
      has_one_time_codes: session.has_one_time_codes,
      recovery_codes_left: await countRecoveryCodes(sql, user_id),
      sessions: sessions.map(({ session_id, created_at, seen_at, address, agent }) => ({
        session_id,
        address,
        browser: browserOf(agent),
        created_at: timestamp(created_at),
        seen_at: timestamp(seen_at),
        is_this: session_id === session.session_id,
      })),
    }
  },
})

export const askForOwnPasskey = route({
  where: 'whole',
  ...posted,
  ...nothing,
  path: '/dashboard/api/me/passkeys/options',
  summary: 'What a browser needs to make a further passkey',
  reply: creationOptions,
  refusals: [],
  handle: async (context: Context, { holder }) => {
    const { page, user_id, session } = holder
    const { email, name, session_id } = session
    const passkeys = await listPasskeys(context.sql, user_id)
    const credential_ids = passkeys.map(({ credential_id }) => credential_id)
    const purpose = `passkey ${session_id}` as const
    const person = { user_id, email, name, credential_ids }
    return { options: await askForPasskey(context, { page, purpose }, person) }
  },
})

export const addOwnPasskey = route({
  where: 'whole',
  ...posted,
  path: '/dashboard/api/me/passkeys',
  summary: 'Add a passkey',
  body: z.strictObject({ name: z.string().max(200), passkey: newPasskey }),
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, request) => {
    await addPasskey(context, request.holder, request.body, request)
    return null
  },
})

export const removeOwnPasskey = route({
  where: 'whole',
  ...removed,
  path: '/dashboard/api/me/passkeys/{credential_id}',
  summary: 'Remove a passkey',
  refusals: ['resource_not_found', 'invalid_request'],
  handle: async (context: Context, request) => {
    await removePasskey(context, request.holder, request.params.credential_id!, request)
    return null
  },
})

export const setOwnPassword = route({
  where: 'whole',
  ...posted,
  path: '/dashboard/api/me/password',
  summary: 'Set a password',
  body: z.strictObject({ password: z.string().max(1000) }),
  status: 204,
  reply: z.null(),
  refusals: ['too_many_attempts'],
  handle: async (context: Context, request) => {
    const at = await setPassword(context, request.holder, request.body.password, request)
    rememberBrowser(context, request, request.holder, at)
    return null
  },
})

export const askForOneTimeCodes = route({
  where: 'whole',
  ...posted,
  ...nothing,
  path: '/dashboard/api/me/one-time-codes',
  summary: 'A secret for an authenticator, which a first code confirms',
  reply: z.object({ secret: z.string(), uri: z.string() }),
  refusals: [],
  handle: (context: Context, { holder }) => beginOneTimeCodes(context, holder),
})

export const confirmOwnCodes = route({
  where: 'whole',
  ...posted,
  path: '/dashboard/api/me/one-time-codes/confirm',
  summary: 'Confirm the authenticator by its first code',
  body: z.strictObject({ code: z.string().max(100) }),
  status: 204,
  reply: z.null(),
  refusals: ['sign_in_failed'],
  handle: async (context: Context, request) => {
    await confirmOneTimeCodes(context, request.holder, request.body.code, request)
    return null
  },
})

export const removeOwnCodes = route({
  where: 'whole',
  ...removed,
  path: '/dashboard/api/me/one-time-codes',
  summary: 'Give up one-time codes',
  refusals: [],
  handle: async (context: Context, request) => {
    await removeOneTimeCodes(context, request.holder, request)
    return null
  },
})

export const makeRecoveryCodes = route({
  where: 'whole',
  ...posted,
  ...nothing,
  path: '/dashboard/api/me/recovery-codes',
  summary: 'New recovery codes in place of all earlier ones',
  reply: z.object({ recovery_codes: z.array(z.string()) }),
  refusals: [],
  handle: async (context: Context, request) => ({
    recovery_codes: await renewRecoveryCodes(context, request.holder, request),
  }),
})

export const endMySession = route({
  where: 'whole',
  ...removed,
  access: signedInPerson(),
  path: '/dashboard/api/me/sessions/{session_id}',
  summary: 'End one of the sessions',
  refusals: ['resource_not_found'],
  handle: async (context: Context, request) => {
    await endOwnSession(context, request.holder, request.params.session_id!, request)
    return null
  },
})

export const endMyOtherSessions = route({
  where: 'whole',
  ...posted,
  ...nothing,
  access: signedInPerson(),
  path: '/dashboard/api/me/sessions/end-others',
  summary: 'End all sessions but this one',
  reply: z.object({ ended: z.number() }),
  refusals: [],
  handle: async (context: Context, request) => {
    const { ended, at } = await endOtherSessions(context, request.holder, request)
    rememberBrowser(context, request, request.holder, at)
    return { ended }
  },
})
