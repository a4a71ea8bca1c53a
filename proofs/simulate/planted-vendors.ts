// Faults planted between the product and a vendor.

import type { VendorHttp } from '../../src/kernel/world.ts'
import { referenceOf, verbOf } from '../vendors/verbs.ts'

type Line = Pick<VendorHttp, 'send'>

export const vendor_plants = {
  "a vendor's charges all count as ours": {
    vendors: othersAsOurs,
    unknown_authorisations: 'reverse' as const,
    brings: { bank: 'checkout' as const },
  },
  'a refund is sent to a vendor under a second key': {
    vendors: refundingTwice,
    brings: { bank: 'checkout' as const },
  },
}

/** Whatever mark a charge bears, and where it bears none, it is heard to bear ours. */
function othersAsOurs(line: Line): Line {
  let ours = ''
  const marked = (said: string) => `"ripper_installation":"${said}"`
  return {
    async send(request) {
      ours = /"ripper_installation":"(\w+)"/.exec(request.body ?? '')?.[1] ?? ours
      const answer = await line.send(request)
      const body = answer.body
        .replaceAll('"metadata":{}', `"metadata":{${marked(ours)}}`)
        .replaceAll(marked('another'), marked(ours))
      return ours === '' ? answer : { ...answer, body }
    },
  }
}

function refundingTwice(line: Line): Line {
  return {
    async send(request) {
      const answer = await line.send(request)
      if (verbOf(request) !== 'refund') return answer
      const key = `${referenceOf(request)}-again`
      const headers = { ...request.headers, 'cko-idempotency-key': key }
      await line.send({ ...request, headers }).catch(() => {})
      return answer
    },
  }
}
