// What becomes of a request on its way to an acquirer and back, by the fate that was drawn for it.

import type { Clock } from '../../src/kernel/world.ts'
import type { Chance } from './chance.ts'

export type Errand<Answer> = {
  /** The clock of who sent it, and that of everybody else. */
  here: Pick<Clock, 'sleep'>
  there: Pick<Clock, 'sleep'>
  chance: Chance
  /** The acquirer gets the request. */
  act(): Promise<Answer>
  /** What the sender hears where the connection breaks, and where a gateway fails after the effect. May throw. */
  broken(): Answer
  failed(): Answer
  is_charge: boolean
  noteDelay(delay_ms: number): void
}

export async function onItsWay<Answer>(fate: string | null, errand: Errand<Answer>): Promise<Answer> {
  const { there, chance, act } = errand
  switch (fate) {
    case 'acquirer: lost on its way':
      return lost(errand)
    case 'acquirer: arrives late':
      // Within the window in which it may still be on its way.
      await there.sleep(1_000 + chance.below(28_000))
      return act()
    case 'acquirer: arrives after its reversal': {
      // Nobody forbids a network to keep a charge for so long: what was reversed before must not be approved then.
      const delay_ms = 1_000 + chance.below(errand.is_charge ? 10 * 60_000 : 28_000)
      errand.noteDelay(delay_ms)
      await there.sleep(delay_ms)
      return act()
    }
    case 'acquirer: answer lost':
      await act()
      return lost(errand)
    case 'acquirer: answers late': {
      const answer = await act()
      await there.sleep(1_000 + chance.below(60_000))
      return answer
    }
    case 'acquirer: done twice': {
      const [first] = await Promise.all([act(), act()])
      return first
    }
    case 'acquirer: error after the effect':
      await act()
      return errand.failed()
    default:
      return act()
  }
}

/** Silence until nobody waits any more, or a connection that breaks. */
async function lost<Answer>({ here, chance, broken }: Errand<Answer>): Promise<Answer> {
  if (chance.often(0.5)) return new Promise(() => {})
  await here.sleep(chance.below(15_000))
  return broken()
}
