// Which origins may read the answers of a session's routes: those of its integration, and the hosted page's if there is one.

import type { Cors } from '../../http/route.ts'
import { isKnownOrigin, sessionOrigins } from '../../merchants/public-account.ts'
import type { Context } from '../context.ts'
import { isClientSecret } from './client-secret.ts'

export const sessionCors: Cors<Context> = {
  async allows(context, { origin, params, header }) {
    // This check comes first, because the origins are kept in this process: an unknown origin costs no look-up of the session.
    if (!(await isKnownOrigin(context, origin))) return false
    const session_id = params.session_id ?? ''
    const secret = header('rip-client-secret')
    // Without the secret, as in every preflight, these headers must not reveal whether the session exists or whose it is. The
    // answer is then a refusal, the same for all, which a page that mixed up its sessions should see.
    if (!secret || !isClientSecret(context.keyring, session_id, secret)) return true
    const session = await context.integrationOfSession(session_id)
    if (!session) return true
    const account = await context.directory.account(session.merchant_id)
    if (!account) return false
    return sessionOrigins(context.addresses, account, session.integration_id).includes(origin)
  },
  knows: isKnownOrigin,
}
