// Where the compatible routes are found: official clients take another host but no path before theirs, others take both.

/** The address that the API's description tells of, and those where the same routes are found once more. */
const described_at = '/v1/compat/partner/payment_intents'
const others = [
  '/v1/payment_intents',
  '/v1/compat/stripe/payment_intents',
  // Clients that are given a base address put their own `/v1` behind it.
  '/v1/compat/partner/v1/payment_intents',
  '/v1/compat/stripe/v1/payment_intents',
]

export type Address = { path: string; alias_of?: string }

export const addresses: Address[] = [
  { path: described_at },
  ...others.map((path) => ({ path, alias_of: described_at })),
]

/** What stands behind an address of payment intents; null for a path elsewhere. */
export function behindAddress(path: string): string | null {
  const address = addresses.find((each) => path === each.path || path.startsWith(`${each.path}/`))
  return address === undefined ? null : path.slice(address.path.length)
}
