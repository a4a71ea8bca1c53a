// How what was shaken comes to rest: every key is asked for again, and all that is under way ends.

import type { ServiceResources } from '../../src/service/resources.ts'
import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import { insist, type Street } from './asking.ts'
import { whatIsUnderWay } from './check.ts'
import type { DiaryPromise } from './diary.ts'

/** A capture or void whose sender died twice goes out for the third time after five minutes. */
export const rest_limit_ms = 60_000

const at_once = 6

/** Every key is sent once more: what was answered is answered again, and what was not is answered now; but for what is gone. */
export async function askAgain(
  street: Street,
  chance: Chance,
  isGone: (key: string) => boolean = () => false,
): Promise<void> {
  // Now what was begun has the time that it takes to be found out.
  const { patience_ms: _, ...patient } = street
  const left = street.diary.promises.filter(({ refusal, key }) => refusal === null && !isGone(key))
  const asking = Array.from({ length: at_once }, async () => {
    for (let promised = left.pop(); promised; promised = left.pop()) {
      const said = await insist({ ...patient, chance, name: 'again' }, promised.asked)
      if (said === null) continue
      const { key, kind, text } = promised
      if (said.status! < 300) street.diary.keepAnswer(promised, said)
      else if (isCreate(kind) || text !== null) {
        street.diary.faults.push(`${key} was answered ${text}, and then ${said.status} ${said.text}`)
      }
    }
  })
  await Promise.all(asking)
}

/** A decision or refund may be refused once something else was decided or refunded. */
function isCreate(kind: DiaryPromise['kind']): boolean {
  return kind !== 'decision' && kind !== 'refund'
}

/** Waits until nothing is under way any more. Returns what still is when that takes too long. */
export async function unrestOf(opened: ServiceResources): Promise<string[]> {
  const give_up_ms = performance.now() + rest_limit_ms
  for (;;) {
    const under_way = await whatIsUnderWay(opened)
    if (under_way.length === 0 || performance.now() > give_up_ms) return under_way
    await realClock.sleep(100)
  }
}

/** Throws an Error of these words where it takes too long. */
export async function waitFor(fits: () => Promise<boolean>, otherwise: string): Promise<void> {
  const give_up_ms = performance.now() + rest_limit_ms
  while (!(await fits())) {
    if (performance.now() > give_up_ms) throw new Error(otherwise)
    await realClock.sleep(50)
  }
}
