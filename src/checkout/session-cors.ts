// Which origins may read the answers of a session's routes: those of its integration, and the hosted page's where there is one.

import type { Context } from '../context.ts'
import type { Cors } from '../http/cors.ts'
import { isKnownOrigin, sessionOrigins } from '../merchants/browser.ts'

export const sessionCors: Cors<Context> = {
  async allows(context, { origin, params }) {
    // Asked first, since it is kept in this process: an unknown origin costs no look-up of the session.
    if (!(await isKnownOrigin(context, origin))) return false
    const session = await context.integrationOfSession(params.session_id ?? '')
    // There is only a refusal to read then, the same for all: a page that mixed up its sessions should see it.
    if (!session) return true
    const account = await context.directory.account(session.merchant_id)
    if (!account) return false
    return sessionOrigins(context.addresses, account, session.integration_id).includes(origin)
  },
  knows: isKnownOrigin,
}
