// The access rules of routes that pages call without a secret: a publishable key or a handle. Creates need an allowed origin.

import type { AccessRequest, AccessRule, KeyScope } from '../http/access.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Directory } from './directory.ts'
import { findHosted, findPublic, originsOf, type PublicAccount, usablePublishableKey } from './public-account.ts'

type PublicContext = { directory: Directory; addresses: { pay_url(): string } }

const open = { kind: 'open', permission: null } as const

/** `{public_key}` in the path, and perhaps `integration` in the query. */
export const publicKeyInPath: AccessRule<PublicContext, PublicAccount> = {
  ...open,
  refusals: ['resource_not_found'],
  check: async ({ context, params, query, recognise }) => {
    const publicAccount = await findPublic(context.directory, namedInPath(params, query))
    if (publicAccount) recognise(publicAccount.account.merchant.merchant_id)
    // The answer must not show why the key or the integration cannot be used: it never differs in any byte.
    if (publicAccount?.account.merchant.status === 'active') return publicAccount
    throw new Refusal('resource_not_found', 'There is no usable publishable key or no integration of this name.')
  },
  keyScope: null,
}

/** The names in a path with `{public_key}` and its query. */
export function namedInPath(params: Record<string, string>, query: Record<string, unknown>) {
  return { public_key: params.public_key ?? '', integration: nameOf(query.integration) }
}

/**
 * Null means the default integration. A value that is no text, such as a repeated parameter, becomes a name that no
 * integration has.
 */
function nameOf(integration: unknown): string | null {
  if (integration === undefined || integration === null) return null
  return typeof integration === 'string' ? integration : ''
}

/** The access rule for `{handle}` in the path. */
export const handleInPath: AccessRule<PublicContext, PublicAccount> = {
  ...open,
  refusals: ['handle_not_found', 'merchant_not_active'],
  check: hostedOrRefuse,
  keyScope: null,
}

/** `{handle}` in the path, called from a page that the hosted-page integration allows. */
export const handleAndOrigin: AccessRule<PublicContext, PublicAccount> = {
  ...open,
  refusals: ['handle_not_found', 'origin_not_allowed', 'merchant_not_active'],
  check: async (request) => fromAllowedOrigin(request, await hostedOrRefuse(request)),
  keyScope,
}

/** `public_key` and perhaps `integration` in the body, called from a page that the integration allows. */
export const publicKeyAndOrigin: AccessRule<PublicContext, PublicAccount> = {
  ...open,
  refusals: ['unauthorized', 'invalid_request', 'resource_not_found', 'origin_not_allowed', 'merchant_not_active'],
  check: async (request) => {
    const { context } = request
    const names = namedInBody(request.body())
    if (!names) throw new Refusal('invalid_request', 'The body must be a JSON object.', bodyField)
    if (!(await usablePublishableKey(context.directory, names.public_key))) {
      throw new Refusal('unauthorized', 'public_key is not a publishable key that can be used.')
    }
    const publicAccount = await findPublic(context.directory, names)
    if (publicAccount) return fromAllowedOrigin(request, publicAccount)
    throw new Refusal('resource_not_found', 'There is no integration of this name.', {
      field: 'integration',
    })
  },
  keyScope,
}

const bodyField = { field: 'body' }

/** The names in a body, or null if the body is no object. */
export function namedInBody(body: unknown): { public_key: string; integration: string | null } | null {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null
  const { public_key, integration } = body as Record<string, unknown>
  return {
    public_key: typeof public_key === 'string' ? public_key : '',
    integration: nameOf(integration),
  }
}

async function hostedOrRefuse({ context, params, recognise }: AccessRequest<PublicContext>): Promise<PublicAccount> {
  const publicAccount = await findHosted(context.directory, params.handle ?? '')
  if (!publicAccount) throw new Refusal('handle_not_found', 'There is no hosted page with this handle.')
  recognise(publicAccount.account.merchant.merchant_id)
  return publicAccount
}

function fromAllowedOrigin(
  { context: { addresses }, caller: { origin }, recognise }: AccessRequest<PublicContext>,
  publicAccount: PublicAccount,
): PublicAccount {
  recognise(publicAccount.account.merchant.merchant_id)
  if (origin !== null && originsOf(addresses, publicAccount.integration).includes(origin)) return publicAccount
  throw new Refusal('origin_not_allowed', 'The Origin header must be one of the allowed origins of the integration.')
}

function keyScope({ account, public_key }: PublicAccount): KeyScope {
  return { merchant_id: account.merchant.merchant_id, audience: public_key }
}
