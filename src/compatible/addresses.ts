// The addresses of the compatible routes: some official clients replace only the host, others also put a path before theirs.

/** The address in the API's description, and the others at which the same routes are found. */
const described_at = '/v1/compat/partner/payment_intents'
const others = [
  '/v1/payment_intents',
  '/v1/compat/stripe/payment_intents',
  // Clients with a configurable base address append their own `/v1` to it.
  '/v1/compat/partner/v1/payment_intents',
  '/v1/compat/stripe/v1/payment_intents',
]

export type Address = { path: string; alias_of?: string }

export const addresses: Address[] = [
  { path: described_at },
  ...others.map((path) => ({ path, alias_of: described_at })),
]

/** The rest of a path after an address of payment intents; null for a path elsewhere. */
export function behindAddress(path: string): string | null {
  const address = addresses.find((each) => path === each.path || path.startsWith(`${each.path}/`))
  return address === undefined ? null : path.slice(address.path.length)
}
