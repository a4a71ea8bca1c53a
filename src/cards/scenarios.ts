// Test mode's cards as a table: what `ripper test-cards` prints, the documentation shows and the hosted page offers.

import { type Brand, brands } from '../kernel/values.ts'
import {
  type AcquirerBehaviour,
  publishedNumbers,
  type ThreeDsBehaviour,
  testCardOf,
  testNumber,
} from './test-cards.ts'

export type Scenario = {
  /** Whose answer the scenario sets: the bank's or the acquirer's. */
  subject: 'three_ds' | 'acquirer'
  name: string
  numbers: Record<Brand, string>
  /** What the service does with it. */
  expected: string
}

type PublishedGroup = {
  numbers: string[]
  three_ds: ThreeDsBehaviour
  acquirer: AcquirerBehaviour
  expected: string
}

// Name | range profile, acquirer code, 3-D Secure code | what happens. The default profile is 1, all other codes 0.
const three_ds_rows = `
authenticated without a challenge|1 000 00|authenticated, liability shifted, eci 05 or 02; captured
no 3DS Method|2 000 00|threeDSCompInd U; as above
3DS Method never answers|3 000 00|threeDSCompInd N after the method's time; as above
protocol 2.1.0 only|4 000 00|messageVersion 2.1.0; as above
range also offers 2.3.1|5 000 00|messageVersion 2.2.0, the highest in common; as above
attempted|1 000 20|attempted, liability shifted, eci 06 or 01; captured
not authenticated|1 000 10|failed; declined authentication_failed, soft; acquirer not called
rejected by the bank|1 000 30|failed; declined authentication_rejected, fraud; acquirer not called
informational|1 000 40|no authentication, state informational; captured without liability shift
unavailable|1 000 50|no authentication; on_3ds_unavailable decides
Directory Server does not answer|1 000 60|no authentication, state unavailable; on_3ds_unavailable decides
challenge passes by itself|1 000 70|challenge page posts itself; authenticated; captured
challenge fails by itself|1 000 71|failed; declined authentication_failed, soft
challenge with a one-time code|1 000 72|1234 passes, three tries, Cancel; then captured
challenge abandoned|1 000 73|awaiting_challenge, then failed after 30 s; declined authentication_timeout, soft
challenge cancelled|1 000 74|failed; declined authentication_canceled, soft
browser says passed, bank says failed|1 000 75|failed: the bank's own message counts
result comes 20 s late|1 000 76|confirm waits for the result, then authenticated; captured
challenge ends unavailable|1 000 77|no authentication; on_3ds_unavailable decides
challenge ends rejected|1 000 78|failed; declined authentication_rejected, fraud; acquirer not called
Directory Server answers an error|1 000 80|no authentication, state unavailable; on_3ds_unavailable decides
bank's address is unsafe|1 000 81|treated as unavailable; no form is made
not enrolled|0 000 00|no authentication, state not_enrolled; on_3ds_unavailable decides
3DS provider down|9 000 00|503 three_ds_provider_unavailable at authenticate; no attempt spent`

const acquirer_rows = `
do not honour|1 005 00|declined do_not_honor, soft
insufficient funds|1 051 00|declined insufficient_funds, soft
expired card|1 054 00|declined expired_card, hard
lost card|1 041 00|declined lost_card, hard
stolen card|1 043 00|declined stolen_card, hard
suspected fraud|1 059 00|declined suspected_fraud, fraud
security code does not match|1 082 00|declined incorrect_cvc, soft
issuer unavailable|1 091 00|declined issuer_unavailable, network
authentication required|1 065 00|declined authentication_required, soft
provider error|1 901 00|failed processing_error, provider_error
answer lost, later captured|1 902 00|awaiting_reconciliation; after 30 s captured
answer lost, later not found|1 903 00|awaiting_reconciliation; then failed
answer lost, later declined|1 908 00|awaiting_reconciliation; after 30 s declined do_not_honor, soft
answer lost for ever|1 904 00|awaiting_reconciliation until an operator decides
first capture of a hold refused|1 905 00|operation_refusal of kind capture; the second capture works
first void of a hold refused|1 906 00|operation_refusal of kind void; the second void works
approved after 8 s|1 907 00|session_processing meanwhile; captured
one-time code, then insufficient funds|1 051 72|authenticated; declined insufficient_funds, soft
challenge passes, then answer lost|1 902 70|authenticated; awaiting_reconciliation; after 30 s captured`

const afterThreeDs: Record<ThreeDsBehaviour, string> = {
  authenticated: 'authenticated without a challenge',
  not_authenticated: 'not authenticated: declined authentication_failed, soft',
  attempted: 'attempted',
  rejected: 'rejected by the bank: declined authentication_rejected, fraud',
  informational: 'informational where asked for, else authenticated',
  unavailable: 'authentication unavailable',
  ds_timeout: 'Directory Server does not answer',
  erro: 'Directory Server answers an error',
  unsafe_acs_url: "bank's address is unsafe",
  challenge_auto_pass: 'challenge passes by itself',
  challenge_auto_fail: 'challenge fails: declined authentication_failed, soft',
  challenge_otp: 'challenge with a one-time code (1234)',
  challenge_abandoned: 'challenge abandoned: declined authentication_timeout, soft',
  challenge_cancelled: 'challenge cancelled: declined authentication_canceled, soft',
  challenge_lying_cres: 'challenge fails although the browser says passed',
  challenge_late_result: 'challenge passes, its result comes 20 s late',
  challenge_unavailable: 'challenge ends unavailable',
  challenge_rejected: 'challenge ends rejected: declined authentication_rejected, fraud',
}

const neverCharged = new Set<ThreeDsBehaviour>([
  'not_authenticated',
  'rejected',
  'challenge_auto_fail',
  'challenge_abandoned',
  'challenge_cancelled',
  'challenge_lying_cres',
  'challenge_rejected',
])

export const scenarios: Scenario[] = [...readRows('three_ds', three_ds_rows), ...readRows('acquirer', acquirer_rows)]

/** Numbers that other vendors publish, grouped by behaviour, in the order in which they first appear. */
export const publishedGroups: PublishedGroup[] = groupPublished()

/** Other well-known test numbers, which are refused when they are typed. */
export const refusedNumbers: { number: string; reason: string }[] = [
  { number: '4242424242424241', reason: 'wrong check digit' },
  { number: '6011111111111117', reason: 'brand not taken (Discover)' },
  { number: '3566002020360505', reason: 'brand not taken (JCB)' },
  { number: '36227206271667', reason: 'brand not taken (Diners Club)' },
  { number: '3056930009020004', reason: 'brand not taken (Diners Club)' },
  { number: '6200000000000005', reason: 'brand not taken (UnionPay)' },
]

/** How a refund's amount, in minor units, decides its outcome. */
export const refundScenarios: { amount_ends_in: string; expected: string }[] = [
  { amount_ends_in: '13', expected: 'fails with refund_refused; the amount can be refunded again' },
  { amount_ends_in: '17', expected: 'stays pending for 30 s, then succeeds' },
]

function readRows(subject: Scenario['subject'], rows: string): Scenario[] {
  return rows
    .trim()
    .split('\n')
    .map((row) => {
      const [name, codes, expected] = row.split('|') as [string, string, string]
      const [r, abc, yz] = codes.split(' ')
      const numbers = Object.fromEntries(brands.map((brand) => [brand, testNumber(brand, { r, abc, yz })])) as Record<
        Brand,
        string
      >
      return { subject, name, numbers, expected }
    })
}

function groupPublished(): PublishedGroup[] {
  const groups = new Map<string, PublishedGroup>()
  for (const number of publishedNumbers) {
    const { three_ds, acquirer } = testCardOf(number)!
    const expected = neverCharged.has(three_ds)
      ? afterThreeDs[three_ds]
      : `${afterThreeDs[three_ds]}, then ${outcomeOf(acquirer)}`
    const group = groups.get(expected) ?? { numbers: [], three_ds, acquirer, expected }
    group.numbers.push(number)
    groups.set(expected, group)
  }
  return [...groups.values()]
}

// Published numbers have three outcomes that no scenario number has. The other outcomes read as in the table.
function outcomeOf(acquirer: AcquirerBehaviour): string {
  if (acquirer === 'approve') return 'captured'
  if (acquirer === 'card_declined') return 'declined card_declined, soft'
  if (acquirer === 'card_velocity_exceeded') return 'declined card_velocity_exceeded, soft'
  if (acquirer === 'fraudulent') return 'declined fraudulent, fraud'
  const scenario = scenarios.find(({ numbers }) => testCardOf(numbers.visa)?.acquirer === acquirer)
  if (!scenario) throw new Error(`no scenario shows ${acquirer}`)
  return scenario.expected
}
