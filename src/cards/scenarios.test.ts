// The composed numbers equal those that the specification prints, and each behaves as its row says.

import { describe, expect, test } from 'vitest'
import { brands } from '../kernel/values.ts'
import { readCard } from './card.ts'
import { looksLikeCardNumber } from './card-data.ts'
import { luhn } from './luhn.ts'
import { publishedGroups, refusedNumbers, scenarios } from './scenarios.ts'
import { publishedNumbers, testCardOf } from './test-cards.ts'

const now = new Date('2026-09-01T12:00:00Z')

describe('scenarios', () => {
  // The specification's own words and numbers, in its order.
  const printed: [string, string, string, string][] = [
    ['Y frictionless, approved', '4000009100020000', '5200009100070000', '340000910004000'],
    ['Y, no 3DS Method URL', '4000009200010000', '5200009200060000', '340000920003000'],
    ['Y, method never answers', '4000009300000000', '5200009300050000', '340000930002000'],
    ['Y on 2.1.0 only', '4000009400090000', '5200009400040000', '340000940001000'],
    ['Y, range also offers 2.3.1', '4000009500080000', '5200009500030000', '340000950009000'],
    ['A attempted', '4000009100080020', '5200009100030020', '340000910002020'],
    ['N frictionless', '4000009100000010', '5200009100050010', '340000910003010'],
    ['R rejected (reason 11)', '4000009100060030', '5200009100010030', '340000910001030'],
    ['I informational', '4000009100040040', '5200009100090040', '340000910000040'],
    ['U unavailable', '4000009100010050', '5200009100060050', '340000910008050'],
    ['DS timeout (AReq unanswered)', '4000009100090060', '5200009100040060', '340000910007060'],
    ['C auto-pass', '4000009100070070', '5200009100020070', '340000910006070'],
    ['C auto-fail', '4000009100060071', '5200009100010071', '340000910001071'],
    ['C manual OTP (1234)', '4000009100050072', '5200009100000072', '340000910005072'],
    ['C abandoned', '4000009100040073', '5200009100090073', '340000910000073'],
    ['C cancelled', '4000009100030074', '5200009100080074', '340000910009074'],
    ['CRes Y but RReq N', '4000009100020075', '5200009100070075', '340000910004075'],
    ['RReq 20 s late', '4000009100010076', '5200009100060076', '340000910008076'],
    ['C then U (RReq U)', '4000009100000077', '5200009100050077', '340000910003077'],
    ['C then R (RReq R)', '4000009100090078', '5200009100040078', '340000910007078'],
    ['DS answers Erro 305', '4000009100050080', '5200009100000080', '340000910005080'],
    ['ARes with `http:`/`javascript:` acsURL', '4000009100040081', '5200009100090081', '340000910000081'],
    ['not enrolled (no range)', '4000009000030000', '5200009000080000', '340000900000000'],
    ['3DS provider down', '4000009900040000', '5200009900090000', '340000990005000'],
    ['do not honour', '4000009100510000', '5200009100560000', '340000910056000'],
    ['insufficient funds', '4000009105150000', '5200009105100000', '340000910513000'],
    ['expired card', '4000009105490000', '5200009105440000', '340000910546000'],
    ['lost card', '4000009104160000', '5200009104110000', '340000910419000'],
    ['stolen card', '4000009104320000', '5200009104370000', '340000910438000'],
    ['suspected fraud', '4000009105980000', '5200009105930000', '340000910594000'],
    ['CVC mismatch', '4000009108200000', '5200009108250000', '340000910829000'],
    ['issuer unavailable', '4000009109110000', '5200009109160000', '340000910914000'],
    ['SCA required (soft decline 1A/65)', '4000009106550000', '5200009106500000', '340000910650000'],
    ['provider error', '4000009190110000', '5200009190160000', '340000919014000'],
    ['acquirer timeout, later captured', '4000009190290000', '5200009190240000', '340000919028000'],
    ['acquirer timeout, later not found', '4000009190370000', '5200009190320000', '340000919033000'],
    ['acquirer timeout, later declined', '4000009190860000', '5200009190810000', '340000919085000'],
    ['acquirer timeout, never resolved', '4000009190450000', '5200009190400000', '340000919047000'],
    ['held, capture refused once', '4000009190520000', '5200009190570000', '340000919052000'],
    ['held, void refused once', '4000009190600000', '5200009190650000', '340000919066000'],
    ['approve after 8 s', '4000009190780000', '5200009190730000', '340000919071000'],
    ['challenge OTP, then insufficient funds', '4000009105180072', '5200009105130072', '340000910519072'],
    ['challenge auto-pass, then acquirer timeout', '4000009190240070', '5200009190290070', '340000919021070'],
  ]

  test('are as many as the specification prints', () => {
    expect(scenarios).toHaveLength(printed.length)
  })

  test.each(printed.map((row, index) => [...row, index] as const))('%s', (_, visa, mastercard, amex, index) => {
    expect(scenarios[index]!.numbers).toEqual({ visa, mastercard, amex })
  })

  test('each number is a test card of its brand, and the brands behave alike', () => {
    for (const { numbers } of scenarios) {
      const { brand: _, ...behaviour } = testCardOf(numbers.visa)!
      for (const brand of brands) {
        expect(testCardOf(numbers[brand])).toEqual({ brand, ...behaviour })
      }
    }
  })

  test('no two do the same, and none is without a name or a text', () => {
    const behaviours = scenarios.map(({ numbers }) => JSON.stringify(testCardOf(numbers.visa)))
    expect(new Set(behaviours).size).toBe(scenarios.length)
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
    for (const { expected } of scenarios) expect(expected).not.toBe('')
  })

  test('the default profile and a named behaviour', () => {
    expect(testCardOf('4000009105180072')).toEqual({
      brand: 'visa',
      ranges: 'method',
      three_ds: 'challenge_otp',
      acquirer: 'insufficient_funds',
    })
    expect(testCardOf('4000009105180073')).toBeNull()
  })
})

describe('published numbers', () => {
  test('each stands in one group, with its own behaviour', () => {
    expect(publishedGroups.flatMap(({ numbers }) => numbers).sort()).toEqual([...publishedNumbers].sort())
    for (const { numbers, three_ds, acquirer } of publishedGroups) {
      for (const number of numbers) {
        expect(luhn(number)).toBe(true)
        expect(testCardOf(number)).toMatchObject({ three_ds, acquirer, ranges: 'method' })
      }
    }
  })

  test.each([
    ['4242424242424242', 'authenticated without a challenge, then captured'],
    ['4000008260003178', 'challenge with a one-time code (1234), then declined insufficient_funds, soft'],
    ['4000000000002537', 'rejected by the bank: declined authentication_rejected, fraud'],
    ['4000000000000119', 'authenticated without a challenge, then failed processing_error, provider_error'],
    ['4000000000006975', 'authenticated without a challenge, then declined card_velocity_exceeded, soft'],
  ])('%s: %s', (number, expected) => {
    expect(publishedGroups.find(({ numbers }) => numbers.includes(number))?.expected).toBe(expected)
  })
})

test('refused numbers are refused in both modes', () => {
  for (const { number } of refusedNumbers) {
    const typed = { number, exp_month: 1, exp_year: 2030, cvc: '123' }
    expect(() => readCard(typed, { mode: 'test', now })).toThrow()
    expect(() => readCard(typed, { mode: 'live', now })).toThrow()
  }
})

test('every test card looks like a card number', () => {
  const numbers = scenarios.flatMap((scenario) => Object.values(scenario.numbers))
  for (const number of [...numbers, ...publishedNumbers]) {
    expect(looksLikeCardNumber(`order ${number}`)).toBe(true)
  }
})
