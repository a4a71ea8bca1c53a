// A vendor of a storm: its fake with a server for each account, in a process of its own that nothing befalls. It posts its notices to
// the services, as late, as often and in whatever order the seed decides. `vendor-bank.ts` starts it and tells it what to do.

import { listenWith } from '../../tests/adapters/fakes/listen.ts'
import { realClock } from '../../tests/support/world.ts'
import { openChance } from '../simulate/chance.ts'
import type { BookedCharge } from '../vendors/history.ts'
import { makeVendor, type Vendor, type VendorName } from '../vendors/vendor.ts'
import { openPosting } from './posting.ts'

/** The answers are in the order of the questions. */
export type VendorOrder =
  | { order: 'post_to'; addresses: string[] }
  /** One a server, in their order. */
  | { order: 'connect'; connection_ids: string[] }
  /** Everything that was held back is posted now, and what comes later with little delay. */
  | { order: 'hurry' }
  /** The clock is ahead of the machine's from now on. */
  | { order: 'ahead'; seconds: number }
  | { order: 'tell' }

export type VendorNews = {
  charges: BookedCharge[]
  wrong: string[]
  /** Notices that nobody has accepted yet. */
  waiting: number
  posted: { accepted: number; twice: number; refused: number }
}

export type VendorAccount = { api_url: string; credentials: Record<string, string> }

const accounts = 3
const settles_after_ms = 5_000
const stranger_every_ms = 4_000
/** How often, in that time, a person acts in the portal of an account, and what they then do: a refund is the most usual. */
const portal_share = 0.3
const habits = ['refund_in_part', 'refund_in_part', 'refund', 'void', 'capture'] as const
const young_ms = 10_000

const [name, seed] = process.argv.slice(2) as [VendorName, string]
const chance = openChance(seed)
/** References of charges that are none of ours. */
const others = new Set<string>()
let ahead_ms = 0
let is_hurried = false
const clock = { ...realClock, now: () => new Date(Date.now() + ahead_ms) }
const vendors: Vendor[] = []
const servers: VendorAccount[] = []
for (let number = 0; number < accounts; number += 1) {
  const vendor = makeVendor(name, { clock, settles_after_ms, ids_from: number * 1_000_000 })
  const { origin } = await listenWith(vendor.wrong, vendor.reply)
  const api_url = `${origin}${vendor.base_path}`
  vendors.push(vendor)
  servers.push({ api_url, credentials: { ...vendor.credentials, api_url } })
}
const posting = openPosting(vendors, chance.fork('notices'))

process.on('message', (order: VendorOrder) => {
  switch (order.order) {
    case 'post_to':
      posting.addresses = order.addresses
      return
    case 'connect':
      return posting.begin(order.connection_ids)
    case 'hurry':
      is_hurried = true
      return posting.hurry()
    case 'ahead':
      ahead_ms = order.seconds * 1000
      return
    case 'tell': {
      const charges = vendors.flatMap((vendor) => vendor.charges())
      const wrong = vendors.flatMap((vendor) => vendor.wrong)
      const { waiting, posted } = posting.standing()
      process.send!({ charges, wrong, waiting, posted } satisfies VendorNews)
    }
  }
})
// It must not outlive its storm.
process.on('disconnect', () => process.exit(0))
process.send!(servers)

// Other systems charge over the same accounts, without a mark or with another installation's, and people act in the portal.
const strangers = chance.fork('strangers')
for (;;) {
  for (const vendor of vendors) {
    vendor.addStranger({
      reference: stranger(),
      mark: strangers.often(0.5) ? null : strangers.bytes(12).toString('hex'),
      amount: 100 + strangers.below(10_000),
      capture: strangers.often(0.5),
    })
  }
  for (const vendor of is_hurried ? [] : vendors) visitPortal(vendor)
  await realClock.sleep(stranger_every_ms)
}

function stranger(): string {
  const reference = strangers.bytes(16).toString('hex')
  others.add(reference)
  return reference
}

/** A person acts on one of our charges that was approved some seconds ago: what is taken is refunded, what is held is decided. */
function visitPortal(vendor: Vendor): void {
  if (!strangers.often(portal_share)) return
  const before = new Date(clock.now().getTime() - young_ms)
  const own = vendor
    .charges()
    .filter(({ reference, known_at }) => !others.has(reference) && known_at && known_at < before)
  if (own.length > 0) vendor.act(strangers.pick(own).id, strangers.pick(habits))
}
