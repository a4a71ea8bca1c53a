// The connector to 3dsecure.io against the fake one, which has our simulated banks behind it.

import { openThreeDsecureIoUnderTest, pages } from './fakes/3dsecureio/under-test.ts'
import { cardThat } from './fakes/bank.ts'
import { threeDsSuite } from './three-ds.ts'
import { strictest, type ThreeDsBench } from './three-ds-bench.ts'
import { post } from './three-ds-browser.ts'

// The vendor answers for a Directory Server that is down as for a silent one.
threeDsSuite('3dsecure.io', open, { ...strictest, tells_down_apart: false })

async function open(): Promise<ThreeDsBench> {
  const { fake, threeDs, clock, log, close } = await openThreeDsecureIoUnderTest()
  return {
    threeDs,
    clock,
    log,
    close,
    card: cardThat,
    notification_url: `${pages}notification`,
    method_notification_url: `${pages}method-notification`,
    results_url: `${pages}results`,
    visit: (form) => post(form, (url) => url.startsWith(pages)),
    async results(count = 1) {
      const challenged = fake.calls.auth.slice(-count)
      const found = challenged.map(async ({ threeDSServerTransID: id }) => {
        const result = await threeDs.fetchResult({
          server_transaction_id: id as string,
          handle: null,
        })
        if (typeof result === 'string') throw new Error(result)
        return result
      })
      return Promise.all(found)
    },
    resultCount: fake.results,
  }
}
