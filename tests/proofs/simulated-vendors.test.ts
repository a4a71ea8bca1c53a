// What the simulation makes of a vendor: when a process may still send to it, and how a charge may end on both sides.

import { expect, test } from 'vitest'
import type { Authorisation } from '../../proofs/simulate/bank/authorisation.ts'
import { openVendorBank } from '../../proofs/simulate/bank/vendor-bank.ts'
import { openChance } from '../../proofs/simulate/chance.ts'
import { faultsOfEnds } from '../../proofs/simulate/charge-ends.ts'
import { type KnownOperation, withNotice, withPeople } from '../../proofs/simulate/known-payment.ts'
import { openVendorLine } from '../../proofs/simulate/vendor-line.ts'
import type { PortalAct } from '../../proofs/vendors/portal.ts'
import { vendor_names } from '../../proofs/vendors/vendor.ts'
import { manualClock } from '../support/clock.ts'

const start = new Date('2026-09-01T12:00:00Z')
const after = (duration_ms: number) => new Date(start.getTime() + duration_ms)

/** A line without faults from a process whose clock is ahead. */
function lineOf(ahead_ms: number) {
  const [there, here] = [manualClock(start), manualClock(after(ahead_ms))]
  const owner = { name: 'process 1', alive: true }
  const ends = {
    scheduler: {
      clockOf: () => there,
      effect: async (_owner: object, _name: string, act: () => unknown) => act(),
    },
    faults: { happens: () => null },
    bank: {
      calls: new Map(),
      accounts: [{ knows: () => true, reply: async () => ({ status: 201, headers: {}, body: '' }) }],
    },
    posts: { changed: () => {} },
  }
  const die = () => {
    throw new Error('nobody dies here')
  }
  return { line: openVendorLine(ends as never, { owner, clock: here, die }), here }
}

const request = {
  ...({
    method: 'POST',
    url: 'https://account-0.vendor.example/v72/payments/A1/captures',
  } as const),
  headers: { 'idempotency-key': 'e'.repeat(32) },
  body: '{}',
  timeout_ms: 18_000,
}

test.each([-1_900, 0, 766])('by a clock that is %i ms ahead a process sends', async (ahead_ms) => {
  const { line, here } = lineOf(ahead_ms)
  const from = here.now()
  const sendable = { from, until: new Date(from.getTime() + 5_000) }
  expect((await line.send({ ...request, sendable })).status).toBe(201)
  await here.advance(5_001)
  await expect(line.send({ ...request, sendable })).rejects.toMatchObject({ kind: 'not_sent' })
})

const reference = 'a'.repeat(32)
const charge = {
  operation_id: reference,
  kind: 'authorise',
  acquirer: `adyen:conn_${'0'.repeat(24)}`,
  state: 'failed',
  answered_at: after(336_000),
  noticed_at: after(340_000),
  sent_at: after(0),
} as KnownOperation
const reversal = { ...charge, operation_id: 'b'.repeat(32), kind: 'reverse', sent_at: after(300_000) } as KnownOperation
const said = {
  reference,
  result: 'declined',
  known_ms: after(338_000).getTime(),
  surprises: [],
  voided_ms: null,
  reversed_ms: null,
  captured_ms: null,
  lapses_ms: null,
} as unknown as Authorisation

type Ends = { charge?: Partial<KnownOperation>; said?: Partial<Authorisation>; alone?: true }

function faultsWhere(ends: Ends): string[] {
  const operations = [{ ...charge, ...ends.charge }, ...(ends.alone ? [] : [reversal])]
  const life = { operations, authorisations: [{ ...said, ...ends.said }] }
  const moment = { now_ms: after(86_400_000).getTime(), skew_ms: 0 }
  return faultsOfEnds(life, moment).map(([, fault]) => fault)
}

const at_once = { known_ms: start.getTime() }
const at_checkout = { acquirer: `checkout:conn_${'0'.repeat(24)}`, noticed_at: null }

test.each<[string, Ends]>([
  ['it came after its reversal, and was refused', {}],
  ['its refusal was posted half an hour late', { said: at_once, charge: { noticed_at: after(1_800_000) } }],
  ['its reversal was answered an hour later', { charge: { answered_at: after(3_900_000) } }],
  ['a process with a wrong clock took its refusal in', { said: at_once, charge: { noticed_at: after(-1_800_000) } }],
  ['its refusal was never posted', { said: at_once, charge: { noticed_at: null } }],
  ['it came after its reversal at a vendor that can be asked', { charge: at_checkout }],
  [
    'a notice does not say that it was an error',
    {
      charge: { state: 'declined', answered_at: after(3_000), noticed_at: after(2_000) },
      said: { ...at_once, result: 'failed' },
    },
  ],
])('failed or declined, a charge came to nothing: %s', (_, ends) => {
  expect(faultsWhere(ends)).toEqual([])
})

test.each<[string, Ends]>([
  ['failed here, declined there', { alone: true }],
  ['failed here, declined there', { said: at_once, charge: { noticed_at: after(30_000) } }],
  ['failed here, declined there', { said: at_once, charge: at_checkout }],
  ['failed here, approved there', { said: { result: 'approved' } }],
  [
    'declined here, failed there',
    { charge: { ...at_checkout, state: 'declined' }, said: { ...at_once, result: 'failed' } },
  ],
  ['approved here, declined there', { charge: { state: 'approved' } }],
])('%s', (fault, ends) => {
  expect(faultsWhere(ends)).toEqual([fault])
})

test.each([
  ['after it was given up', 1_800_000, ['late']],
  ['before', 30_000, []],
])('an approval whose notice comes %s', (_, noticed_ms, surprises) => {
  const approved: Authorisation = { ...said, result: 'approved' }
  const found = withNotice(approved, { ...charge, noticed_at: after(noticed_ms) })
  expect(found.surprises.map(({ what }) => what)).toEqual(surprises)
})

const day_ms = 86_400_000
const payment = { payment_id: 'pay_1', status: 'failed' } as const
/** A charge that was approved and failed here, with what people did about it; the refusal and the person's word so many days later. */
type People = { acts?: PortalAct[]; refused_days?: number; left_days?: number }

const left_there = 'failed here, approved there'
const people: [string, People, string[]][] = [
  ['nobody did anything', {}, [left_there]],
  ['a person refunded all', { acts: ['refund'] }, []],
  ['a person refunded a part', { acts: ['refund_in_part'] }, [left_there]],
  ['a person refunded it in two parts', { acts: ['refund_in_part', 'refund'] }, []],
  ['a person left what is still refused', { refused_days: 8, left_days: 8.1 }, []],
  ['a person left what was refused last week', { refused_days: 1, left_days: 8 }, [left_there]],
  ['a person left what nobody refused', { left_days: 8 }, [left_there]],
  ['its reversal is refused, and no person left it', { refused_days: 8 }, [left_there]],
]

test.each(vendor_names.flatMap((vendor) => people.map((row) => [vendor, ...row] as const)))(
  '%s, failed here and taken there: %s',
  async (vendor, _, did, faults) => {
    const clock = manualClock(start)
    const random = { bytes: (count: number) => Buffer.alloc(count, 7) }
    const bank = openVendorBank(vendor, { clock, random }, openChance('people'))
    await bank.addStranger({ reference, capture: true })
    await clock.advance(3_600_000)
    const account = bank.accounts.find((each) => each.charges().length > 0)!
    for (const act of did.acts ?? []) {
      expect(account.act(account.charges()[0]!.id, act)).toBe(true)
      await clock.advance(3_600_000)
    }
    const { refused_days, left_days } = did
    const refusal = {
      kind: 'reverse',
      of: reference,
      answer: { result: 'refused' },
      known_ms: after((refused_days ?? 0) * day_ms).getTime(),
    }
    const line = { subject: 'pay_1', change: 'orphan.left', at: after((left_days ?? 0) * day_ms) }
    const room = {
      payment,
      lines: left_days === undefined ? [] : [{ ...line, session_id: null }],
      bank: { settlements: refused_days === undefined ? [] : [refusal] },
    }
    const [entry] = bank.authorisations.values()
    const authorisations = [withPeople(entry!, room as never)]
    const moment = { now_ms: after(20 * day_ms).getTime(), skew_ms: 0 }
    const found = faultsOfEnds({ operations: [charge, reversal], authorisations }, moment)
    expect(found.map(([, fault]) => fault)).toEqual(faults)
  },
)

test('what a person refunds of a captured payment stays captured', () => {
  const entry = { ...said, refunded_ms: start.getTime() }
  const room = { payment: { ...payment, status: 'captured' }, lines: [], bank: { settlements: [] } }
  expect(withPeople(entry, room as never)).toBe(entry)
})
