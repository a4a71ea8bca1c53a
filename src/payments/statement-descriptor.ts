// The name on a shopper's card statement.

import { completeProfileOf, type Merchant } from '../merchants/merchant.ts'
import type { Session } from './session.ts'

export function descriptorOf(
  merchant: Pick<Merchant, 'name' | 'acquiring_profile'>,
  { statement_descriptor_suffix }: Pick<Session, 'statement_descriptor_suffix'>,
): string {
  const name = completeProfileOf(merchant)?.descriptor_name ?? merchant.name
  return [name, statement_descriptor_suffix].filter(Boolean).join(' ')
}
