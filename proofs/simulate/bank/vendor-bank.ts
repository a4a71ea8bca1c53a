// A fake vendor as the bank of a simulated world: an account for each shop, and its books as judges read those of any bank.

import type { World } from '../../../src/kernel/world.ts'
import type { BookedAct, BookedCharge } from '../../vendors/history.ts'
import { makeVendor, type VendorName } from '../../vendors/vendor.ts'
import type { Chance } from '../chance.ts'
import type { Authorisation } from './authorisation.ts'
import { type Bank, openBank } from './bank.ts'
import { refusal, type Settlement } from './settlement.ts'

const accounts_count = 3

/** What becomes of captures, voids and refunds, it says so much later; Stripe says it at once. */
const settles_after_ms = [2_000, 20_000, 300_000]

export function openVendorBank(
  name: VendorName,
  world: Pick<World, 'clock' | 'random'>,
  chance: Chance,
): Bank {
  const { clock } = world
  const later_ms = chance.pick(settles_after_ms)
  const accounts = Array.from({ length: accounts_count }, () =>
    makeVendor(name, { clock, settles_after_ms: later_ms }),
  )
  // Nobody pays there: the service has a simulated acquirer beside its connections.
  const beside = openBank(world)
  const { delays } = beside
  /** What was read last, and of what. */
  let known: { seen: unknown[]; authorisations: Map<string, Authorisation> } | null = null
  const charges = () => accounts.flatMap((vendor) => vendor.charges())
  return {
    ...beside,
    accounts,
    only_notifies: name === 'adyen',
    get authorisations() {
      const seen = [...accounts.map((vendor) => vendor.charges()), delays.size]
      if (known && seen.every((each, at) => each === known!.seen[at])) return known.authorisations
      const each = accounts.flatMap((vendor, at) =>
        vendor.charges().map((charge): [string, Authorisation] => {
          const delay_ms = delays.get(charge.reference) ?? 0
          return [`${at} ${charge.id}`, authorisationOf(charge, delay_ms)]
        }),
      )
      known = { seen, authorisations: new Map(each) }
      return known.authorisations
    },
    get settlements() {
      return charges().flatMap((charge) =>
        charge.acts.map((act, at) => settlementOf(charge, act, at)),
      )
    },
    async addStranger({ reference, capture }) {
      const mark = chance.often(0.5) ? null : 'another'
      beside.strangers.add(reference)
      chance.pick(accounts).addStranger({ reference, mark, amount: 7_700, capture })
    },
  }
}

function authorisationOf(charge: BookedCharge, delay_ms: number): Authorisation {
  const { reference, amount, currency, capture, behaviour, id, mark, acts } = charge
  const known_ms = charge.known_at?.getTime() ?? null
  const refused = behaviour === 'processing_error' ? 'failed' : 'declined'
  const authorised_ms = charge.is_approved ? known_ms : null
  const done = acts.filter(({ is_approved }) => is_approved)
  const when = (kind: BookedAct['kind']) =>
    done.find((act) => act.kind === kind)?.known_at.getTime() ?? null
  const given = done.filter(({ kind }) => kind === 'refund')
  return {
    ...{ kind: 'authorise', reference, asked_ms: charge.asked_at.getTime(), delay_ms, asked: '' },
    ...{ installation: mark ?? '', amount, currency, asked_for: { amount, currency, capture } },
    ...{ three_ds: null, capture, behaviour, transaction_id: id, decline: null, known_ms },
    result: known_ms === null ? null : charge.is_approved ? 'approved' : refused,
    ...{ authorised_ms, listed_ms: authorised_ms },
    captured_ms: charge.taken_at?.getTime() ?? when('capture'),
    ...{ captured_amount: null, voided_ms: when('void'), reversed_ms: when('reverse') },
    refunded_amount: given.reduce((total, act) => total + act.amount, 0),
    ...{ lapses_ms: null, refused_once: false, missed_once: false },
    // A charge that was on its way for so long may arrive after a reversal that found nothing.
    surprises:
      delay_ms > 0 && authorised_ms !== null ? [{ what: 'late', at_ms: authorised_ms }] : [],
  }
}

function settlementOf(charge: BookedCharge, act: BookedAct, at: number): Settlement {
  const transaction_id = act.id ?? charge.id
  return {
    ...{ kind: act.kind, reference: act.reference ?? `${charge.id} ${at}`, of: charge.reference },
    ...{ asked_ms: act.asked_at.getTime(), amount: act.amount, asked: '', transaction_id },
    known_ms: act.known_at.getTime(),
    answer: act.is_approved
      ? { result: 'approved', acquirer_transaction_id: transaction_id }
      : refusal('do_not_honor'),
  }
}
