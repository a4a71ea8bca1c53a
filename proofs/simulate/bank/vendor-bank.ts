// A fake vendor as the bank of a simulated world: an account for each shop, and its books as judges read those of any bank.

import type { World } from '../../../src/kernel/world.ts'
import type { BookedAct, BookedCharge } from '../../vendors/history.ts'
import { isOurs } from '../../vendors/portal.ts'
import { makeVendor, type VendorName } from '../../vendors/vendor.ts'
import type { Chance } from '../chance.ts'
import type { Act, Authorisation, Surprise } from './authorisation.ts'
import { type Bank, openBank } from './bank.ts'
import { refusal, type Settlement } from './settlement.ts'

const accounts_count = 3
const ids_apart = 1_000_000

/** What becomes of captures, voids and refunds, it says so much later; Stripe says it at once. */
const settles_after_ms = [2_000, 20_000, 300_000]

export function openVendorBank(name: VendorName, world: Pick<World, 'clock' | 'random'>, chance: Chance): Bank {
  const { clock } = world
  const later_ms = chance.pick(settles_after_ms)
  const accounts = Array.from({ length: accounts_count }, (_, at) =>
    makeVendor(name, { clock, settles_after_ms: later_ms, ids_from: at * ids_apart }),
  )
  // Nobody pays there: the service has a simulated acquirer beside its connections.
  const beside = openBank(world)
  const { delays } = beside
  /** What was read last, and of what. */
  let known: { seen: unknown[]; authorisations: Map<string, Authorisation> } | null = null
  /** Those that requests made. The vendor's own second charges, and those that our books have lost, are judged apart. */
  const isAsked = ({ is_unasked, reference }: BookedCharge) => !is_unasked && !lost.has(reference)
  const charges = () => accounts.flatMap((vendor) => vendor.charges()).filter(isAsked)
  const lost = new Set<string>()
  return {
    ...beside,
    accounts,
    only_notifies: name === 'adyen',
    get authorisations() {
      const seen = [...accounts.map((vendor) => vendor.charges()), delays.size]
      if (known && seen.every((each, at) => each === known!.seen[at])) return known.authorisations
      const each = accounts.flatMap((vendor, at) =>
        vendor
          .charges()
          .filter(isAsked)
          .map((charge): [string, Authorisation] => {
            const delay_ms = delays.get(charge.reference) ?? 0
            return [`${at} ${charge.id}`, authorisationOf(charge, delay_ms)]
          }),
      )
      known = { seen, authorisations: new Map(each) }
      return known.authorisations
    },
    get settlements() {
      return charges().flatMap((charge) => charge.acts.flatMap((act, at) => settlementOf(charge, act, at)))
    },
    lost,
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
  const others = done.filter(isByOthers)
  const part = done.find((act) => act.kind === 'capture' && act.amount !== amount)
  const late = delay_ms > 0 || isLate(charge) ? [{ what: 'late' as const, at_ms: authorised_ms! }] : []
  const when = (kind: BookedAct['kind']) => done.find((act) => act.kind === kind)?.known_at.getTime() ?? null
  const given = done.filter(({ kind }) => kind === 'refund')
  const refunded_amount = given.reduce((total, act) => total + act.amount, 0)
  const is_given_back = refunded_amount >= (part?.amount ?? amount)
  return {
    kind: 'authorise',
    reference,
    asked_ms: charge.asked_at.getTime(),
    delay_ms,
    asked: '',
    installation: mark ?? '',
    amount,
    currency,
    asked_for: { amount, currency, capture },
    refuses_shift: charge.refuses_shift,
    three_ds: null,
    capture,
    behaviour,
    transaction_id: id,
    decline: null,
    known_ms,
    result: known_ms === null ? null : charge.is_approved ? 'approved' : refused,
    authorised_ms,
    listed_ms: authorised_ms,
    captured_ms: charge.taken_at?.getTime() ?? when('capture'),
    captured_amount: part?.amount ?? null,
    reversed_ms: when('reverse'),
    voided_ms: when('void') ?? when('expire'),
    refunded_amount,
    refunded_ms: is_given_back ? Math.max(...given.map((act) => act.known_at.getTime())) : null,
    lapses_ms: null,
    refused_once: false,
    missed_once: false,
    // A charge that was on its way for so long may arrive after a reversal that found nothing.
    surprises: [...(authorised_ms === null ? [] : late), ...others.flatMap(surpriseOf(charge))],
  }
}

/** Longer than any vendor takes by itself. */
const decided_within_ms = 3_600_000

function isLate({ asked_at, known_at }: BookedCharge): boolean {
  return known_at !== null && known_at.getTime() - asked_at.getTime() > decided_within_ms
}

/** People's names are not like ours. */
function isByOthers({ kind, reference }: BookedAct): boolean {
  return kind === 'expire' || !isOurs(reference)
}

/** What has lapsed is void. A refund takes nothing from what a payment is. */
const surprises: Partial<Record<BookedAct['kind'], Act>> = {
  capture: 'capture',
  void: 'void',
  expire: 'void',
  reverse: 'reverse',
}

function surpriseOf({ amount }: BookedCharge): (act: BookedAct) => Surprise[] {
  return (act) => {
    const plain = surprises[act.kind]
    const is_part = act.kind === 'capture' && act.amount !== amount
    const at_ms = act.known_at.getTime()
    return plain ? [{ what: is_part ? 'partial_capture' : plain, at_ms }] : []
  }
}

/** None for what nobody here asked for. */
function settlementOf(charge: BookedCharge, act: BookedAct, at: number): Settlement[] {
  const { kind } = act
  if (kind === 'expire' || isByOthers(act)) return []
  return [settlementNamed(charge, { ...act, kind }, at)]
}

function settlementNamed(charge: BookedCharge, act: BookedAct & { kind: Settlement['kind'] }, at: number): Settlement {
  const transaction_id = act.id ?? charge.id
  return {
    kind: act.kind,
    reference: act.reference ?? `${charge.id} ${at}`,
    of: charge.reference,
    asked_ms: act.asked_at.getTime(),
    amount: act.amount,
    asked: '',
    transaction_id,
    known_ms: act.known_at.getTime(),
    answer: act.is_approved ? { result: 'approved', acquirer_transaction_id: transaction_id } : refusal('do_not_honor'),
  }
}
