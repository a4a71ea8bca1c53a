// The card ranges that the simulated Directory Server publishes: they cover every enrolled test card and do not overlap.

import { createHash } from 'node:crypto'
import {
  publishedNumbers,
  type RangeProfile,
  scenarioPrefixes,
  testCardOf,
  testNumber,
} from '../../cards/test-cards.ts'
import { brands } from '../../kernel/values.ts'
import type { JsonObject } from '../emv/json.ts'
import { present } from '../emv/messages.ts'

type Offer = { start: string; end: string; method_path: string | null }

export const method_path = '/acs/method'
/** The method page that never reports back. */
export const silent_method_path = '/acs/method/silent'

/** The protocol versions and pages of each profile's range; null if its cards lie in no range. */
export const offers: Record<RangeProfile, Offer | null> = {
  not_enrolled: null,
  method: { start: '2.1.0', end: '2.2.0', method_path },
  no_method: { start: '2.1.0', end: '2.2.0', method_path: null },
  silent_method: { start: '2.1.0', end: '2.2.0', method_path: silent_method_path },
  only_2_1_0: { start: '2.1.0', end: '2.1.0', method_path },
  also_2_3_1: { start: '2.2.0', end: '2.3.1', method_path },
  provider_down: { start: '2.1.0', end: '2.2.0', method_path: null },
}

/** The cardRangeData of a full load, with a serial number derived from its content. */
export function testRanges(public_url: string): { serial_number: string; rows: JsonObject[] } {
  const scenarios = brands.flatMap((brand) =>
    [...'0123456789'].map((r) => {
      const start = `${scenarioPrefixes[brand]}${r}`
      const length = brand === 'amex' ? 15 : 16
      const profile = testCardOf(testNumber(brand, { r }))!.ranges
      return { start: start.padEnd(length, '0'), end: start.padEnd(length, '9'), profile }
    }),
  )
  const publishedRanges = publishedNumbers.map((number) => ({
    start: number,
    end: number,
    profile: testCardOf(number)!.ranges,
  }))
  const rows = [...scenarios, ...publishedRanges].flatMap(({ start, end, profile }) => {
    const offer = offers[profile]
    return offer ? [rowOf(start, end, offer, public_url)] : []
  })
  const digest = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
  return { serial_number: digest.slice(0, 20), rows }
}

function rowOf(start: string, end: string, offer: Offer, public_url: string): JsonObject {
  return {
    startRange: start,
    endRange: end,
    actionInd: 'A',
    acsStartProtocolVersion: offer.start,
    acsEndProtocolVersion: offer.end,
    acsInfoInd: ['01', '02'],
    ...present('threeDSMethodURL', offer.method_path && `${public_url}${offer.method_path}`),
  }
}
