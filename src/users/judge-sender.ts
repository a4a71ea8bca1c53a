// What every request to the dashboard must be: from a place where one may sign in, from our own page, and JSON.

import type { Context } from '../context.ts'
import type { AccessRequest } from '../http/access.ts'
import { unsupportedType } from '../http/read-body.ts'
import { Refusal } from '../kernel/errors.ts'
import { isFromOwnPage, isSafePlace, type PageOrigin, pageOriginOf } from './page-origin.ts'

/**
 * Returns where the page is. Throws `insecure_origin`, `cross_site_request`, and `invalid_request` for what is not
 * JSON.
 */
export function judgeSender({ context, caller, method }: AccessRequest<Context>): PageOrigin {
  const page = pageOriginOf(context.addresses.dashboard_url())
  if (!isSafePlace(page, caller)) {
    const words = 'The dashboard opens only over https, or on the machine that it runs on.'
    throw new Refusal('insecure_origin', words)
  }
  if (method === 'GET' || method === 'HEAD') return page
  const type = caller.header('content-type')
  const is_json = type !== null && /^application\/json *(;|$)/i.test(type)
  if (type === null ? method === 'POST' : !is_json) throw unsupportedType(undefined)
  if (!isFromOwnPage(page, caller)) {
    throw new Refusal('cross_site_request', "The request must come from the dashboard's own page.")
  }
  return page
}
