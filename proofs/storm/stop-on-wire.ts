// Stops a process at its bank's door: between its intent and its call, or between the bank's answer and the outcome.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { CallMoment, Kind } from './bank.ts'
import type { Crew, Member } from './crew.ts'

export type WireField = {
  crew: Crew
  chance: Chance
  /** performance.now() at the end. */
  until_ms: number
  /** How long one stands still. */
  stopped_ms: { least: number; more: number }
  /** Takes who was stopped and where, in words. */
  stopped: string[]
  tell(what: string): void
}

const arrival_ms = 10_000
const charging: readonly Kind[] = ['authorise']
const settling: readonly Kind[] = ['capture', 'void', 'reverse', 'refund']
const every: readonly Kind[] = [...charging, ...settling]

export type Stop = {
  /** Once it stands still, or was not seen to come there. */
  arrived: Promise<void>
  /** Once it goes on. */
  over: Promise<void>
}

/**
 * A service is stopped at its next call to the bank, or a worker at its next capture, void or reversal: it stands still at
 * that very place while the others go on, and only then does its call go out, or its answer come in. Null where none can be.
 */
export function stopOnWire(field: WireField, where: CallMoment): Stop | null {
  const { crew, chance } = field
  const all = crew.running()
  // One of each kind goes on.
  const free = all.filter(({ command }) => !all.some((one) => one.command === command && one.is_waited_for))
  const able = free.filter(({ is_frozen, is_wrong }) => !is_frozen && !is_wrong)
  if (able.length === 0) return null
  const services = able.filter(({ command }) => command === 'serve')
  const member = chance.pick(services.length > 0 && chance.often(0.8) ? services : able)
  const kinds = member.command === 'worker' ? settling : chance.pick([charging, charging, every])
  const arriving = crew.arrival(member, arrival_ms)
  crew.tell(member, { order: 'wait', where, kinds })
  member.is_waited_for = true
  const arrived = arriving.then((at) => {
    if (!at) return false
    crew.freeze(member)
    const words = `${member.name} stopped ${where === 'intent' ? 'before' : 'after'} its ${at.kind}`
    field.stopped.push(words)
    field.tell(words)
    return true
  })
  const over = arrived.then((is_there) => goOn(field, member, is_there))
  return { arrived: arrived.then(() => {}), over }
}

async function goOn(field: WireField, member: Member, is_there: boolean): Promise<void> {
  const { crew, chance, until_ms, stopped_ms } = field
  if (is_there) {
    const asked_ms = stopped_ms.least + chance.below(stopped_ms.more)
    await realClock.sleep(Math.max(0, Math.min(asked_ms, until_ms - performance.now())))
    crew.thaw(member)
  }
  crew.tell(member, { order: 'go' })
  member.is_waited_for = false
}
