// Whether an account may act at all.

import type { SecretKey } from '../http/access.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Account, Directory } from './directory.ts'

/** Returns the account. Throws `merchant_not_active` if it is suspended. */
export async function admitMerchant({ directory }: { directory: Directory }, merchant_id: string): Promise<Account> {
  const account = await directory.account(merchant_id)
  if (account?.merchant.status !== 'active') {
    throw new Refusal('merchant_not_active', 'The account cannot take payments.')
  }
  return account
}

/** The `admit` of routes that a secret key opens. */
export async function admitKey(context: { directory: Directory }, key: SecretKey): Promise<void> {
  await admitMerchant(context, key.merchant_id)
}
