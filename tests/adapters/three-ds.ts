// What every 3-D Secure provider must do, told as the port's callers see it.

import { afterEach, beforeEach, describe } from 'vitest'
import { strictest, type ThreeDsBench } from './three-ds-bench.ts'
import { automaticChallengeSuite, codeChallengeSuite } from './three-ds-challenges.ts'
import { enrolmentSuite, frictionlessSuite, methodSuite } from './three-ds-frictionless.ts'

/** Each test gets a bench of its own, opened before it and closed after it. */
export function threeDsSuite(name: string, open: () => Promise<ThreeDsBench>, traits = strictest): void {
  describe(name, () => {
    let opened: ThreeDsBench
    const bench = () => opened

    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())

    if (traits.knows_ranges) {
      enrolmentSuite(bench)
      methodSuite(bench)
    }
    frictionlessSuite(bench, traits)
    automaticChallengeSuite(bench)
    codeChallengeSuite(bench)
  })
}
