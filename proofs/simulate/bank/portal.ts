// People who act on authorisations in the simulated bank's portal, of which the service hears nothing.

import type { Clock } from '../../../src/kernel/world.ts'
import type { Chance } from '../chance.ts'
import type { Faults } from '../faults.ts'
import type { Owner, Scheduler } from '../scheduler.ts'
import { type Act, type Authorisation, isLive } from './authorisation.ts'
import type { Bank } from './bank.ts'

type PortalParts = {
  scheduler: Scheduler
  clock: Clock
  chance: Chance
  faults: Faults
  bank: Bank
  outside: Owner
}

/** Nobody acts on what came in just now. */
const young_ms = 5_000
const acts: Record<Act, string> = {
  capture: 'portal: captured',
  partial_capture: 'portal: partly captured',
  void: 'portal: voided',
  reverse: 'portal: reversed',
}

/**
 * Goes through the books a few times within `during_ms`, and a last time some hours later. `settle` is given what was partly
 * captured, an hour after, and days after what a forgetful bank can no longer be asked for.
 */
export async function actInPortal(
  office: PortalParts,
  during_ms: number,
  settle: (reference: string) => Promise<void>,
): Promise<void> {
  const { clock, chance, scheduler, outside, bank } = office
  if (bank.traits.portal === 0) return
  const pauses_ms = [during_ms / 2, during_ms / 2, 300_000, 3_600_000 * (1 + chance.below(30))]
  for (const pause_ms of pauses_ms) {
    await clock.sleep(pause_ms)
    await scheduler.effect(outside, 'people look into the portal', () => {
      for (const entry of bank.authorisations.values()) actOn(office, entry)
    })
  }
  await clock.sleep(3_600_000)
  for (const { captured_amount, reference } of bank.authorisations.values()) {
    if (captured_amount !== null) await settle(reference)
  }
  if (!bank.traits.forgets) return
  // Nobody can look up any more what was captured days ago.
  await clock.sleep(48 * 3_600_000)
  for (const { captured_ms, reference } of bank.authorisations.values()) {
    if (captured_ms !== null) await settle(reference)
  }
}

function actOn({ clock, chance, faults, bank }: PortalParts, entry: Authorisation): void {
  const now_ms = clock.now().getTime()
  if (!isLive(entry, now_ms) || now_ms - entry.authorised_ms! < young_ms) return
  const is_reserved = entry.captured_ms === null
  // Most of what was taken stays so.
  if (!chance.often(is_reserved ? bank.traits.portal : bank.traits.portal / 10)) return
  const act: Act = is_reserved ? chance.pick(['capture', 'partial_capture', 'void', 'reverse'] as const) : 'reverse'
  if (act === 'capture' || act === 'partial_capture') entry.captured_ms = now_ms
  if (act === 'partial_capture') entry.captured_amount = Math.ceil(entry.amount / 2)
  if (act === 'void') entry.voided_ms = now_ms
  if (act === 'reverse') entry.reversed_ms = now_ms
  entry.surprises.push({ what: act, at_ms: now_ms })
  faults.note(acts[act] as never)
}
