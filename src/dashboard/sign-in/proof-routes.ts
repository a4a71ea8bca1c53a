// Proof that it is still the same person: before grave acts, and to unlock a session.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import type { Person } from '../../users/member.ts'
import { askToUsePasskey, listPasskeys } from '../../users/passkeys.ts'
import { type Evidence, proofWaysOf, unlockWaysOf } from '../../users/proof-ways.ts'
import { isLocked } from '../../users/session.ts'
import { acceptOneTimeCode, acceptPasskey, acceptPassword } from '../../users/sign-in.ts'
import { signedInOrLocked } from '../../users/signed-in.ts'
import { renew, type Sender } from '../../users/start-session.ts'
import { signInFailed } from '../../users/tries.ts'
import { requestOptions, usedPasskey } from '../passkey-schemas.ts'
import { rememberBrowser, sendToken } from './send-token.ts'

const shared = {
  method: 'POST' as const,
  tag: 'Dashboard',
  access: signedInOrLocked,
  dialect: 'dashboard' as const,
  status: 200,
}

export const askForProof = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/proof/passkey-options',
  summary: 'What a browser needs to prove the person by a passkey',
  body: z.strictObject({}),
  body_optional: true,
  reply: requestOptions,
  refusals: [],
  handle: async (context: Context, { holder }) => {
    const { page, session, user_id } = holder
    const passkeys = await listPasskeys(context.sql, user_id)
    const purpose = `proof ${session.session_id}` as const
    const ids = passkeys.map(({ credential_id }) => credential_id)
    return { options: await askToUsePasskey(context, { page, purpose }, ids) }
  },
})

const proofBody = z.strictObject({
  passkey: usedPasskey.optional(),
  one_time_code: z.string().max(100).optional(),
  password: z.string().max(1000).optional(),
})

export const prove = route({
  where: 'whole',
  ...shared,
  path: '/dashboard/api/proof',
  summary: 'Prove that it is still the same person; unlocks a locked session',
  body: proofBody,
  reply: z.object({ proved_at: z.string() }),
  refusals: ['sign_in_failed', 'too_many_attempts'],
  handle: async (context: Context, request) => {
    const { page, session } = request.holder
    const evidence = await judgeProof(context, request.holder, request.body, request)
    const token = await renew(context, session, { evidence, sender: request })
    if (token === null) throw signInFailed()
    sendToken(request, page, token)
    rememberBrowser(context, request, request.holder)
    return { proved_at: timestamp(request.now) }
  },
})

/** A locked session of somebody with a password wants that, too; a password by itself only proves who has no more. */
async function judgeProof(
  context: Context,
  { page, session, user_id }: Person,
  { passkey, one_time_code, password }: z.output<typeof proofBody>,
  sender: Sender & { now: Date },
): Promise<Evidence[]> {
  const is_locked = isLocked(session, sender.now)
  // Whoever has no session cannot lock this counter.
  const which = { user_id, counter: `session ${session.session_id}` as const }
  const unlocking = is_locked ? unlockWaysOf(session, context.doorkeeper) : []
  const is_joined = unlocking.includes('passkey_and_password')
  if (passkey) {
    if (is_joined && password === undefined) throw wants('password')
    const purpose = `proof ${session.session_id}` as const
    const answer = { response: passkey, user_id }
    const { evidence } = await acceptPasskey(context, { page, purpose }, answer, sender)
    if (!is_joined) return [evidence]
    return [evidence, await acceptPassword(context, which, password!, sender)]
  }
  if (is_joined) throw wants('passkey')
  if (one_time_code !== undefined) {
    const wants_password = is_locked && session.has_password
    if (wants_password && password === undefined) throw wants('password')
    const typed = { code: one_time_code, password: password ?? null }
    return acceptOneTimeCode(context, which, typed, sender)
  }
  if (password === undefined) throw wants('passkey')
  if (!proofWaysOf(session, context.doorkeeper).includes('password')) throw wants('one_time_code')
  return [await acceptPassword(context, which, password, sender)]
}

function wants(field: string): Refusal {
  return new Refusal('invalid_request', `${field} is missing.`, { field, fault: 'required' })
}
