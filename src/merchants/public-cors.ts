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
  const named = namedInBody(body())
  return named && findPublic(directory, named)
})

function corsOf(
  find: (context: PublicContext, asked: CorsRequest) => Promise<PublicAccount | null>,
): Cors<PublicContext> {
  return {
    async allows(context, asked) {
      // This check comes first, because the origins are kept in this process: an unknown origin costs no further look-up.
      if (!(await isKnownOrigin(context, asked.origin))) return false
      const found = await find(context, asked)
      return !found || originsOf(context.addresses, found.integration).includes(asked.origin)
    },
    knows: isKnownOrigin,
  }
}
