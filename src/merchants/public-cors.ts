// Which origins may read what is named by a publishable key or a handle. Where no integration can be told, as in a
// preflight of a create, any origin that some integration allows may read the answer: a refusal, and the same for all.

import type { Cors, CorsRequest } from '../http/route.ts'
import type { Directory } from './directory.ts'
import { namedInBody, namedInPath } from './public-access.ts'
import {
  findHosted,
  findPublic,
  isKnownOrigin,
  originsOf,
  type PublicAccount,
} from './public-account.ts'

type PublicContext = { directory: Directory; addresses: { pay_url(): string } }

/** `{public_key}` and `integration` of the address. */
export const publicKeyCors = corsOf(({ directory }, { params, query }) =>
  findPublic(directory, namedInPath(params, query)),
)

/** `{handle}` of the address. */
export const handleCors = corsOf(({ directory }, { params }) =>
  findHosted(directory, params.handle ?? ''),
)

/** `public_key` and `integration` of the body. */
export const bodyCors = corsOf(async ({ directory }, { body }) => {
  const named = namedInBody(body())
  return named && findPublic(directory, named)
})

function corsOf(
  find: (context: PublicContext, asked: CorsRequest) => Promise<PublicAccount | null>,
): Cors<PublicContext> {
  return {
    async allows(context, asked) {
      // Asked first, since it is kept in this process: an unknown origin costs no look-up of what it names.
      if (!(await isKnownOrigin(context, asked.origin))) return false
      const found = await find(context, asked)
      return !found || originsOf(context.addresses, found.integration).includes(asked.origin)
    },
    knows: isKnownOrigin,
  }
}
