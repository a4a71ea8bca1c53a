// The default integration of a merchant who needs one and has none: made when the first Checkout Session is.

import { wholeOf } from '../database/cells/cells.ts'
import { isUniqueViolation } from '../database/failures.ts'
import { type Account, defaultIntegration, findAccount } from './directory.ts'
import type { Integration } from './integration.ts'
import { createIntegration, type ManageContext } from './manage.ts'

/** Returns the default integration, which another request may make at the same time. */
export async function ownDefault(context: ManageContext, { merchant, integrations }: Account): Promise<Integration> {
  const { merchant_id } = merchant
  const names = new Set(integrations.map(({ name }) => name))
  const free = (number: number): string => {
    const name = number === 1 ? 'default' : `default ${number}`
    return names.has(name) ? free(number + 1) : name
  }
  const sql = wholeOf(context.sql)
  try {
    const request = { name: free(1), is_default: true }
    return (await createIntegration({ ...context, sql }, merchant_id, request)).integration
  } catch (error) {
    const account = isUniqueViolation(error) ? await findAccount(sql, merchant_id) : null
    const integration = account && defaultIntegration(account)
    if (!integration) throw error
    return integration
  }
}
