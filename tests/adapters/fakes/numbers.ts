// The test cards by which a fake acquirer is made to behave: no real number ever reaches one.

import { publishedGroups, scenarios } from '../../../src/cards/scenarios.ts'
import { type AcquirerBehaviour, testCardOf } from '../../../src/cards/test-cards.ts'

const numbers = [
  ...scenarios.map((scenario) => scenario.numbers.visa),
  ...publishedGroups.flatMap((group) => group.numbers),
]

export function numberFor(behaviour: AcquirerBehaviour): string {
  const number = numbers.find((each) => testCardOf(each)?.acquirer === behaviour)
  if (!number) throw new Error(`no number behaves as ${behaviour}`)
  return number
}
