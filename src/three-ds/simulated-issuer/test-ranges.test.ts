import { expect, test } from 'vitest'
import { publishedNumbers, testCardOf, testNumber } from '../../cards/test-cards.ts'
import { brands } from '../../kernel/values.ts'
import { applyChanges, changesIn, findRange } from '../emv/card-ranges.ts'
import { type Message, messageFault } from '../emv/messages.ts'
import { offers, testRanges } from './test-ranges.ts'

const public_url = 'https://pay.example/simulator/three-ds'
const { rows, serial_number } = testRanges(public_url)
const pres: Message = {
  messageType: 'PRes',
  messageVersion: '2.2.0',
  threeDSServerTransID: 'e8db9820-63b7-43ce-8831-36ce81a2e313',
  dsTransID: 'e9ff1fc0-3898-4887-b338-2db51170b865',
  dsStartProtocolVersion: '2.1.0',
  dsEndProtocolVersion: '2.3.1',
  serialNum: serial_number,
  cardRangeData: rows,
}
const table = applyChanges([], changesIn(pres))

test('the ranges make a valid PRes, and none overlaps another', () => {
  expect(messageFault(pres)).toBeNull()
  expect(table).toHaveLength(rows.length)
})

const scenarios = brands.flatMap((brand) => [...'0123456789'].map((r) => testNumber(brand, { r })))

test.each([...scenarios, ...publishedNumbers])('%s lies where its profile says', (number) => {
  const offer = offers[testCardOf(number)!.ranges]
  const range = findRange(table!, number)
  expect(range?.acs_start_version).toBe(offer?.start)
  expect(range?.acs_end_version).toBe(offer?.end)
  const method_url = offer?.method_path ? public_url + offer.method_path : null
  expect(range?.method_url ?? null).toBe(method_url)
})

test('a card of nobody lies in no range', () => {
  expect(findRange(table!, '4929000000006')).toBeNull()
  expect(findRange(table!, '4242424242424243')).toBeNull()
})

test('the serial number changes with the addresses, and only with them', () => {
  expect(testRanges(public_url).serial_number).toBe(serial_number)
  expect(testRanges('https://other.example').serial_number).not.toBe(serial_number)
})
