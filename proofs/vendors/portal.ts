// What happens at a fake vendor that nobody here asked for: people act in its portal, and it acts by itself.

import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { longReference } from '../../src/acquirers/reference.ts'
import type { Clock } from '../../src/kernel/world.ts'

export const portal_acts = [
  'capture',
  'capture_in_part',
  'void',
  'refund',
  'refund_in_part',
  'cancel_or_refund',
  /** What is only reserved, or at Adyen what was never captured, lapses. */
  'expire',
  /** A second charge under the same reference. */
  'charge_again',
  /** What it has not decided yet, it approves. */
  'approve_late',
  /** The newest refund, or reversal of what was taken, comes back. */
  'send_back',
] as const
export type PortalAct = (typeof portal_acts)[number]

export type Portal = {
  /** False where the vendor refuses it, or has no such thing. */
  act(id: string, act: PortalAct): boolean
  /** Charges that expired, and when. */
  expired: Map<string, Date>
  /** Charges that were made by no request. */
  unasked: Set<string>
  /** When somebody did something there: the books may bear no further time of it. */
  moments: Date[]
  /** What it posts beside the notices of its books. */
  posts(): NamedPost[]
}

/** A notice; `name` is the same whenever it is posted. */
export type NamedPost = NoticePost & { name: string }

export type Room = Pick<Clock, 'now'>
type Extra = { name: string; post: () => Omit<NamedPost, 'name'> }

export function portalOf<Charge>(
  find: (id: string) => Charge | null,
  clock: Room,
  acts: (extras: Extra[], made: Pick<Portal, 'expired' | 'unasked'>) => Record<PortalAct, (charge: Charge) => boolean>,
): Portal {
  const extras: Extra[] = []
  const moments: Date[] = []
  const made = { expired: new Map<string, Date>(), unasked: new Set<string>() }
  const all = acts(extras, made)
  return {
    ...made,
    moments,
    act(id, act) {
      const charge = find(id)
      const is_done = charge !== null && all[act](charge)
      if (is_done) moments.push(clock.now())
      return is_done
    },
    posts: () => extras.map(({ name, post }) => ({ ...post(), name })),
  }
}

/** A part of what there is; null where there is no part. */
export const partOf = (amount: number) => (amount > 1 ? Math.floor(amount / 2) : null)

export const card = { number: '4242424242424242', expiry_month: 12, expiry_year: 2030 }

/** A bank takes a day and longer to send a refund back. */
export function isOld(at: Date | null, clock: Room): boolean {
  return at !== null && clock.now().getTime() - at.getTime() > 20 * 3_600_000
}

/** Whether a name in a vendor's books is one that we give: people give others, or none. */
export function isOurs(reference: string | null): boolean {
  return reference !== null && (/^[0-9a-f]{32}$/.test(reference) || longReference(reference) !== null)
}
