// Signing in and out.

import { z } from 'zod'
import { insertLine } from '../../audit/journal-store.ts'
import { route } from '../../http/route.ts'
import type { Context } from '../../payments/context.ts'
import { firstCommand } from '../../users/page-origin.ts'
import { askToUsePasskey } from '../../users/passkeys.ts'
import { endSession } from '../../users/session.ts'
import { acceptOneTimeCode, signInByPassword, spendRecoveryCode } from '../../users/sign-in.ts'
import { showPassword, signInByPasskey } from '../../users/sign-in-by-passkey.ts'
import { halfSignedIn, sessionOfCaller, visitor } from '../../users/signed-in.ts'
import { authorOf, renew, signIn } from '../../users/start-session.ts'
import { limitTries, signInFailed } from '../../users/tries.ts'
import { personLine } from '../../users/user-journal.ts'
import { requestOptions, usedPasskey } from '../passkey-schemas.ts'
import { rememberBrowser, sendToken, takeToken } from './send-token.ts'

const shared = {
  method: 'POST' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  status: 200,
}
const nothing = z.strictObject({})
const signedInReply = z.object({ next: z.literal('signed_in') })
const codeBody = z.strictObject({ code: z.string().max(100) })
const sign_in_refusals = ['sign_in_failed', 'too_many_attempts'] as const

export const readWays = route({
  where: 'whole',
  method: 'GET',
  path: '/dashboard/api/sign-in/ways',
  tag: 'Dashboard',
  summary:
    'Which ways in there are besides passkeys and passwords, whether anybody has an account, and whether the caller is signed in',
  access: visitor,
  dialect: 'dashboard',
  status: 200,
  reply: z.object({
    single_sign_on: z.object({ name: z.string(), path: z.string(), prove_path: z.string() }).nullable(),
    /** What people here type before a command. */
    program: z.string(),
    /** The command that lets the first person in; null where somebody has an account. */
    first_command: z.string().nullable(),
    /** So that the page asks who one is only where there is an answer. A session that is locked counts. */
    is_signed_in: z.boolean(),
  }),
  refusals: [],
  handle: async (context: Context, { caller, holder }) => {
    const { doorkeeper, sql } = context
    const session = await sessionOfCaller(context, caller, holder.page)
    const is_signed_in = session !== null && !session.is_half
    return {
      single_sign_on: doorkeeper.single_sign_on,
      program: doorkeeper.program,
      first_command: is_signed_in ? null : await firstCommand(sql, doorkeeper, doorkeeper.demoMerchant()),
      is_signed_in,
    }
  },
})

export const askForSignIn = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/passkey-options',
  summary: 'What a browser needs to sign in by a passkey',
  access: visitor,
  body: nothing,
  body_optional: true,
  reply: requestOptions,
  refusals: ['too_many_attempts'],
  handle: async (context: Context, request) => {
    limitTries(context, request)
    const { page } = request.holder
    return { options: await askToUsePasskey(context, { page, purpose: 'sign-in' }) }
  },
})

export const signInByAPasskey = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/passkey',
  summary: 'Sign in by a passkey',
  access: visitor,
  body: z.strictObject({ passkey: usedPasskey }),
  reply: z.object({ next: z.enum(['signed_in', 'password']) }),
  refusals: sign_in_refusals,
  handle: async (context: Context, request) => {
    const { page } = request.holder
    const answer = { page, response: request.body.passkey }
    const before = await sessionOfCaller(context, request.caller, page)
    const { next, token } = await signInByPasskey(context, answer, request, before)
    sendToken(request, page, token)
    return { next }
  },
})

export const showPasswordToo = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/second-password',
  summary: 'Show the password after a passkey, where both are asked for',
  access: halfSignedIn,
  body: z.strictObject({ password: z.string().max(1000) }),
  reply: signedInReply,
  refusals: sign_in_refusals,
  handle: async (context: Context, request) => {
    const { page, session } = request.holder
    const token = await showPassword(context, session, request.body.password, request)
    sendToken(request, page, token)
    rememberBrowser(context, request, { page, user_id: session.user_id })
    return { next: 'signed_in' as const }
  },
})

export const signInByAPassword = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/password',
  summary: 'Sign in by a password; a second factor may follow',
  access: visitor,
  body: z.strictObject({ email: z.string().max(1000), password: z.string().max(1000) }),
  reply: z.object({ next: z.enum(['signed_in', 'one_time_code', 'passkey']) }),
  refusals: sign_in_refusals,
  handle: async (context: Context, request) => {
    const { page } = request.holder
    const before = await sessionOfCaller(context, request.caller, page)
    const { next, token, user_id } = await signInByPassword(context, request.body, request, before)
    sendToken(request, page, token)
    if (next === 'signed_in') rememberBrowser(context, request, { page, user_id })
    return { next }
  },
})

export const showOneTimeCode = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/one-time-code',
  summary: 'Show the second factor after a password',
  access: halfSignedIn,
  body: codeBody,
  reply: signedInReply,
  refusals: sign_in_refusals,
  handle: async (context: Context, request) => {
    const { page, user_id, session } = request.holder
    const which = { user_id, counter: 'second_factor' as const }
    const evidence = await acceptOneTimeCode(context, which, request.body, request)
    const token = await renew(context, session, { evidence, sender: request })
    if (token === null) throw signInFailed()
    sendToken(request, page, token)
    rememberBrowser(context, request, { page, user_id })
    return { next: 'signed_in' as const }
  },
})

export const showRecoveryCode = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-in/recovery-code',
  summary: 'Sign in by a recovery code: after a password, or in place of a lost passkey',
  access: visitor,
  body: codeBody,
  reply: signedInReply,
  refusals: sign_in_refusals,
  handle: async (context: Context, request) => {
    const { page } = request.holder
    const before = await sessionOfCaller(context, request.caller, page)
    const half = before?.is_half ? before : null
    const asked = { user_id: half?.user_id ?? null, code: request.body.code }
    const { user_id, evidence } = await spendRecoveryCode(context, asked, request)
    const entry = { user_id, evidence: [evidence], sender: request }
    const token = half ? await renew(context, half, entry) : await signIn(context, { ...entry, before })
    if (token === null) throw signInFailed()
    sendToken(request, page, token)
    rememberBrowser(context, request, { page, user_id })
    return { next: 'signed_in' as const }
  },
})

export const signOut = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/sign-out',
  summary: 'End the session',
  access: visitor,
  body: nothing,
  body_optional: true,
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, request) => {
    const { page } = request.holder
    const session = await sessionOfCaller(context, request.caller, page)
    takeToken(request, page)
    if (!session) return null
    const { user_id, session_id } = session
    await context.sql.begin(async (tx) => {
      if (!(await endSession(tx, session, request.now))) return
      const told = {
        subject: user_id,
        change: 'sign_in.ended',
        detail: { session_id },
        at: request.now,
      }
      await insertLine(tx, personLine(context, authorOf(user_id, request), told))
    })
    return null
  },
})
