// How a world's shops are connected to a vendor, and what must hold of the vendor's books alone.

import { type ConnectionOffice, createConnection } from '../../src/connections/manage-connections.ts'
import type { Sql } from '../../src/database/open.ts'
import { acquirerName } from '../../src/merchants/account-connection.ts'
import { faultsOfVendor } from '../vendors/judge.ts'
import type { Bank } from './bank/bank.ts'
import type { Memory } from './memory.ts'
import { apiUrl } from './vendor-line.ts'
import type { VendorPosts } from './vendor-posts.ts'
import type { Fault } from './violations.ts'

const label = 'vendor'

/** Connects a shop to the next account. Returns the label of its connection. */
export async function connectShop(
  office: ConnectionOffice & { bank: Bank; posts: VendorPosts; memory: Memory },
  merchant_id: string,
): Promise<string> {
  const { bank, posts, memory, sql, clock } = office
  const account = posts.connection_ids.length
  const vendor = bank.accounts[account]!
  for (const [name, secret] of Object.entries(vendor.credentials)) {
    if (name !== 'merchant_account') memory.keepSecret(name, secret)
  }
  const asked = { kind: 'acquirer', connector: vendor.name, label, mode: 'sandbox' } as const
  const credentials = { ...vendor.credentials, api_url: apiUrl(account, vendor) }
  const made = await createConnection(office, merchant_id, { ...asked, credentials })
  posts.connection_ids.push(made.connection_id)
  await sql`insert into orphan_sweeps (acquirer, swept_until)
    values (${acquirerName(made)}, ${clock.now()})`
  return label
}

/** The books of the vendor's accounts, and what it was asked. */
export async function faultsOfAccounts(sql: Sql, { accounts }: Bank): Promise<Fault[]> {
  if (accounts.length === 0) return []
  const [row] = await sql<{ installation_id: string }[]>`select installation_id from installation`
  const charges = accounts.flatMap((vendor) => vendor.charges())
  const wrong = accounts.flatMap((vendor) => vendor.wrong)
  return [
    ...faultsOfVendor(charges, row!.installation_id).map((fault): Fault => ['I17', fault]),
    ...wrong.map((text): Fault => ['I17', `the vendor does not understand: ${text}`]),
  ]
}
