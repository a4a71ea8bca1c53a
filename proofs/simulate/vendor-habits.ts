// What befalls a world's vendors of their own accord: people act in their portals after hours and days, reservations lapse, refunds
// come back, a charge is made twice, and our books lose one. Each is one share of `faults.ts`.

import type { BookedCharge } from '../vendors/history.ts'
import type { PortalAct } from '../vendors/portal.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { Faults } from './faults.ts'
import type { Stage } from './stage.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** Nobody acts on what came in just now. */
const young_ms = 5_000
/** After this a person was asked about what the vendor has not decided. */
const undecided_ms = 73 * hour_ms
/** In test mode a comparison looks at a charge for the last time a week after it was made. */
const looked_again_ms = 7 * day_ms

type HabitFault = Parameters<Faults['happens']>[0]

const acts = {
  'vendor: charges again': 'charge_again',
  'vendor: a refund comes back': 'send_back',
  'vendor: an authorisation lapses': 'expire',
  'portal: a hold is captured': 'capture',
  'portal: a part of a hold is captured': 'capture_in_part',
  'portal: a hold is voided': 'void',
  'portal: all is refunded': 'refund',
  'portal: a part is refunded': 'refund_in_part',
  'portal: cancelled or refunded': 'cancel_or_refund',
} as const satisfies Partial<Record<HabitFault, PortalAct>>
const kinds = Object.keys(acts) as (keyof typeof acts)[]

/** With our mark, which the first process draws. */
type Visit = Stage & { installation: string }

/**
 * Goes on beside the lives, and for days after them. `settle`: a person settles what waits for one. `mistake`: a person takes one
 * payment's transaction for another's.
 */
export async function actAtVendors(
  stage: Stage,
  during_ms: number,
  { settle, mistake }: Record<'settle' | 'mistake', () => Promise<unknown>>,
): Promise<void> {
  const { clock, bank, scheduler, outside } = stage
  if (bank.accounts.length === 0) return
  const chance = stage.chance.fork('habits of the vendor')
  const hours = (least: number, most: number) => hour_ms * (least + chance.below(most - least))
  const soon = [during_ms / 2, during_ms / 2, 300_000, hours(1, 30)]
  const later = [hours(49, 60), hours(24, 60)]
  for (const pause_ms of [...soon, ...later]) {
    await clock.sleep(pause_ms)
    await scheduler.effect(outside, 'people look into the portal', async () =>
      lookAround({ ...stage, installation: await markOf(stage) }),
    )
    if (stage.faults.happens('person: names another transaction')) await mistake()
    if (pause_ms > day_ms) await settle()
  }
}

async function markOf({ database }: Stage): Promise<string> {
  const [row] = await database.sql<{ installation_id: string }[]>`
    select installation_id from installation`
  return row!.installation_id
}

function lookAround(stage: Visit): void {
  const { bank, posts, faults } = stage
  for (const account of bank.accounts) {
    for (const charge of account.charges()) {
      if (charge.mark === stage.installation && !charge.is_unasked) actOn(stage, account, charge)
    }
    if (faults.happens('books: a charge is lost')) loseCharge(stage, account)
  }
  posts.changed()
}

function actOn(stage: Visit, account: Vendor, charge: BookedCharge): void {
  const { faults, clock } = stage
  const now_ms = clock.now().getTime()
  const age_ms = now_ms - charge.asked_at.getTime()
  if (charge.known_at === null) {
    const is_late = age_ms >= undecided_ms && faults.happens('vendor: approves days later')
    if (is_late) act(stage, account, charge, 'approve_late')
    return
  }
  if (!charge.is_approved || age_ms < young_ms || charge.known_at.getTime() > now_ms) return
  const fate = faults.happens(...kinds)
  if (fate !== null) act(stage, account, charge, acts[fate])
}

function act({ bank, faults, clock }: Visit, account: Vendor, charge: BookedCharge, what: PortalAct) {
  const told = new Set(account.posts().map(({ name }) => name))
  if (!account.act(charge.id, what)) return
  bank.touched.add(charge.reference)
  const made_ms = charge.asked_at.getTime()
  const looked_ms = made_ms + looked_again_ms
  // Nothing but a comparison finds what is not told, and where there is none, nothing.
  const is_found = !bank.only_notifies && clock.now().getTime() < looked_ms - day_ms
  if (!is_found || what === 'charge_again' || !faults.happens('vendor: posts nothing of it')) return
  for (const { name } of account.posts()) if (!told.has(name)) account.untold.add(name)
  bank.compared_until_ms = Math.max(bank.compared_until_ms, looked_ms + 2 * day_ms)
}

/** As after a failover that lost the last commits: it bears our mark and a reference of ours, and nobody here knows of it. */
function loseCharge({ office, clock, bank, installation, chance }: Visit, account: Vendor): void {
  const reference = office.ids.operation(clock.now())
  bank.lost.add(reference)
  bank.touched.add(reference)
  const amount = 1_000 + chance.below(9_000)
  account.addStranger({ reference, mark: installation, amount, capture: chance.often(0.5) })
}
