// Which origins may read answers about a publishable key or a handle. If the integration is unknown, as in the preflight of a
// create, every origin that some integration allows may read the answer. That answer is then a refusal, the same for all.

import type { Cors, CorsRequest } from '../http/route.ts'
import type { Directory } from './directory.ts'
import { namedInBody, namedInPath } from './public-access.ts'
import { findHosted, findPublic, isKnownOrigin, originsOf, type PublicAccount } from './public-account.ts'

type PublicContext = { directory: Directory; addresses: { pay_url(): string } }

/** For `{public_key}` in the path and `integration` in the query. */
export const publicKeyCors = corsOf(({ directory }, { params, query }) =>
  findPublic(directory, namedInPath(params, query)),
)

/** For `{handle}` in the path. */
export const handleCors = corsOf(({ directory }, { params }) => findHosted(directory, params.handle ?? ''))

/** For `public_key` and `integration` in the body. */
export const bodyCors = corsOf(async ({ directory }, { body }) => {
  const names = namedInBody(body())
  return names && findPublic(directory, names)
})

function corsOf(
  find: (context: PublicContext, request: CorsRequest) => Promise<PublicAccount | null>,
): Cors<PublicContext> {
  return {
    async allows(context, request) {
      // This check comes first, because the origins are kept in this process: an unknown origin costs no further look-up.
      if (!(await isKnownOrigin(context, request.origin))) return false
      const publicAccount = await find(context, request)
      return !publicAccount || originsOf(context.addresses, publicAccount.integration).includes(request.origin)
    },
    knows: isKnownOrigin,
  }
}
