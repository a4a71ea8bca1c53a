// The addresses of the compatible routes: some official clients replace only the host, others also put a path before theirs.

export type Address = { path: string; alias_of?: string }

/** The address in the API's description, and the others at which the same routes are found. */
const described_below = '/v1/compat/partner'
const others = [
  '/v1',
  '/v1/compat/stripe',
  // Clients with a configurable base address append their own `/v1` to it.
  '/v1/compat/partner/v1',
  '/v1/compat/stripe/v1',
]

export const intentAddresses = addressesOf('payment_intents')
export const refundAddresses = addressesOf('refunds')
export const chargeAddresses = addressesOf('charges')
export const priceAddresses = addressesOf('prices')
export const productAddresses = addressesOf('products')
/** These have no further address: what no client needed before is at the one of its library. */
export const checkoutAddresses = addressesOf('checkout/sessions').slice(0, 2)
export const eventAddresses = addressesOf('events').slice(0, 2)
export const endpointAddresses = addressesOf('webhook_endpoints').slice(0, 2)

function addressesOf(noun: string): Address[] {
  const described_at = `${described_below}/${noun}`
  return [{ path: described_at }, ...others.map((below) => ({ path: `${below}/${noun}`, alias_of: described_at }))]
}

/** The rest of a path after one of the addresses; null for a path elsewhere. */
export function behindAddress(path: string, addresses: readonly Address[]): string | null {
  const address = addresses.find((each) => path === each.path || path.startsWith(`${each.path}/`))
  return address === undefined ? null : path.slice(address.path.length)
}
