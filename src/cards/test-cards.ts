// Test mode's cards: which numbers are test cards, and what the simulated bank and acquirer do with each.
// The number alone decides. Grammar: prefix · 9 · range profile · acquirer code · Luhn fixer · 00 · 3-D Secure code.

import type { Brand } from '../kernel/values.ts'
import { luhn } from './luhn.ts'

export type RangeProfile =
  | 'not_enrolled'
  | 'method'
  | 'no_method'
  | 'silent_method'
  | 'only_2_1_0'
  | 'also_2_3_1'
  | 'provider_down'

export type ThreeDsBehaviour =
  | 'authenticated'
  | 'not_authenticated'
  | 'attempted'
  | 'rejected'
  | 'informational'
  | 'unavailable'
  | 'ds_timeout'
  | 'erro'
  | 'unsafe_acs_url'
  | 'challenge_auto_pass'
  | 'challenge_auto_fail'
  | 'challenge_otp'
  | 'challenge_abandoned'
  | 'challenge_cancelled'
  | 'challenge_lying_cres'
  | 'challenge_late_result'
  | 'challenge_unavailable'
  | 'challenge_rejected'

export type AcquirerBehaviour =
  | 'approve'
  | 'do_not_honor'
  | 'insufficient_funds'
  | 'expired_card'
  | 'lost_card'
  | 'stolen_card'
  | 'suspected_fraud'
  | 'incorrect_cvc'
  | 'issuer_unavailable'
  | 'authentication_required'
  | 'card_declined'
  | 'card_velocity_exceeded'
  | 'fraudulent'
  | 'processing_error'
  | 'lost_then_captured'
  | 'lost_then_not_found'
  | 'lost_then_declined'
  | 'lost_for_ever'
  | 'refuse_capture_once'
  | 'refuse_void_once'
  | 'approve_slowly'

type TestCard = {
  brand: Brand
  ranges: RangeProfile
  three_ds: ThreeDsBehaviour
  acquirer: AcquirerBehaviour
}

/** The digits that every scenario number of a brand begins with. */
export const scenarioPrefixes = { visa: '4000009', mastercard: '5200009', amex: '3400009' } as const

const profiles: Record<string, RangeProfile> = {
  1: 'method',
  2: 'no_method',
  3: 'silent_method',
  4: 'only_2_1_0',
  5: 'also_2_3_1',
  9: 'provider_down',
}

const threeDsCodes: Record<string, ThreeDsBehaviour> = {
  10: 'not_authenticated',
  20: 'attempted',
  30: 'rejected',
  40: 'informational',
  50: 'unavailable',
  60: 'ds_timeout',
  70: 'challenge_auto_pass',
  71: 'challenge_auto_fail',
  72: 'challenge_otp',
  73: 'challenge_abandoned',
  74: 'challenge_cancelled',
  75: 'challenge_lying_cres',
  76: 'challenge_late_result',
  77: 'challenge_unavailable',
  78: 'challenge_rejected',
  80: 'erro',
  81: 'unsafe_acs_url',
}

const acquirerCodes: Record<string, AcquirerBehaviour> = {
  '000': 'approve',
  '005': 'do_not_honor',
  '051': 'insufficient_funds',
  '054': 'expired_card',
  '041': 'lost_card',
  '043': 'stolen_card',
  '059': 'suspected_fraud',
  '082': 'incorrect_cvc',
  '091': 'issuer_unavailable',
  '065': 'authentication_required',
  901: 'processing_error',
  902: 'lost_then_captured',
  903: 'lost_then_not_found',
  908: 'lost_then_declined',
  904: 'lost_for_ever',
  905: 'refuse_capture_once',
  906: 'refuse_void_once',
  907: 'approve_slowly',
}

const plain = 'authenticated approve'
// Numbers that other vendors publish, with the behaviour given to them here: 3-D Secure, then acquirer.
const publishedCodes: Record<string, string> = {
  '4242424242424242 4000056655665556 4111111111111111 4012888888881881': plain,
  '5555555555554444 2223003122003222 5200828282828210 5105105105105100': plain,
  '378282246310005 371449635398431': plain,
  '4000000000003220 4000002760003184 4000002500003155 4000000000003063 4000003800000446': 'challenge_otp approve',
  '4000008400001629': 'challenge_otp card_declined',
  '4000008260003178': 'challenge_otp insufficient_funds',
  '4000000000003055 4000000000009235 4000000000002701': plain,
  '4000008400001280 4000000000003097 4000000000001125 4000000000002446': 'erro approve',
  '4000000000002719 4200000000000109 4000200000000008': 'attempted approve',
  '4000000000002925 4000300000000006': 'not_authenticated approve',
  '4000000000002313': 'unavailable approve',
  '4000000000002537 5200000000002185': 'rejected approve',
  '4000000000001091': 'challenge_auto_pass approve',
  '4000000000001109': 'challenge_auto_fail approve',
  '4000000000001117': 'challenge_unavailable approve',
  '4000000000002354': 'ds_timeout approve',
  '4100000000000100 5100000000000107 4200000000000091': plain,
  '4100000000005000 4200000000000042': 'challenge_otp approve',
  '4100000000000001': 'authenticated lost_then_captured',
  '4000000000000002': 'authenticated card_declined',
  '4000000000009995': 'authenticated insufficient_funds',
  '4000000000009987': 'authenticated lost_card',
  '4000000000009979': 'authenticated stolen_card',
  '4000000000000069': 'authenticated expired_card',
  '4000000000000127 4000000000000101': 'authenticated incorrect_cvc',
  '4000000000000119': 'authenticated processing_error',
  '4000000000006975': 'authenticated card_velocity_exceeded',
  '4100000000000019 4000000000004954': 'authenticated fraudulent',
}

const aliases = new Map<string, TestCard>(
  Object.entries(publishedCodes).flatMap(([numbers, behaviours]) => {
    const [three_ds, acquirer] = behaviours.split(' ') as [ThreeDsBehaviour, AcquirerBehaviour]
    return numbers
      .split(' ')
      .map((number): [string, TestCard] => [
        number,
        { brand: brandOfTestNumber(number), ranges: 'method', three_ds, acquirer },
      ])
  }),
)

/** Every published number that is accepted as a test card. */
export const publishedNumbers = [...aliases.keys()]

/** How a number behaves in test mode, or null if it is no test card. */
export function testCardOf(number: string): TestCard | null {
  return aliases.get(number) ?? scenarioOf(number)
}

/** Composes a scenario number: range profile `r`, acquirer code `abc`, 3-D Secure code `yz`. */
export function testNumber(
  brand: Brand,
  { r = '1', abc = '000', yz = '00' }: { r?: string; abc?: string; yz?: string } = {},
): string {
  for (const fixer of '0123456789') {
    const number = `${scenarioPrefixes[brand]}${r}${abc}${fixer}${brand === 'amex' ? '0' : '00'}${yz}`
    if (luhn(number)) return number
  }
  throw new Error(`no check digit makes a number of ${r}, ${abc}, ${yz}`)
}

function scenarioOf(number: string): TestCard | null {
  const parts = /^(4000009|5200009|3400009)(\d)(\d{3})\d(\d{1,2})(\d{2})$/.exec(number)
  if (!parts || !luhn(number)) return null
  const [, prefix, profile, acquirer, , three_ds] = parts
  const brand = brandOfTestNumber(prefix!)
  if (number.length !== (brand === 'amex' ? 15 : 16)) return null
  return {
    brand,
    ranges: profiles[profile!] ?? 'not_enrolled',
    three_ds: threeDsCodes[three_ds!] ?? 'authenticated',
    // A response code that the table does not name is a decline without a specific reason.
    acquirer: acquirerCodes[acquirer!] ?? 'card_declined',
  }
}

function brandOfTestNumber(number: string): Brand {
  if (number.startsWith('3')) return 'amex'
  return number.startsWith('4') ? 'visa' : 'mastercard'
}
