// The acquirer of a simulated world: books of its own in memory, written without a look at the service's.

import {
  type Accepted,
  type Acquirer,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type LiveAuthorisation,
  type LookUpAnswer,
  type LookUpRequest,
  type SettleAnswer,
  type SettleRequest,
  Unanswered,
} from '../../../src/acquirers/acquirer.ts'
import { testCardOf } from '../../../src/cards/test-cards.ts'
import type { World } from '../../../src/kernel/world.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import { type Authorisation, answerOf, isLive, openAuthorisation, refused, standingOf } from './authorisation.ts'
import { honest, type Moods } from './moods.ts'
import { past, reasonAgainst, refusal, type Settlement, type Verb } from './settlement.ts'
import { plain, type Traits } from './traits.ts'

export type Bank = {
  acquirer: Acquirer
  traits: Traits
  /** Of a vendor; none where the bank is the simulated acquirer. */
  accounts: readonly Vendor[]
  /** What came of a charge it tells by notices alone, which may be half an hour late and longer. */
  only_notifies: boolean
  /** By the bank's own ids, oldest first. */
  readonly authorisations: Map<string, Authorisation>
  readonly settlements: Settlement[]
  /** Somebody else charges over the same account. */
  addStranger(stranger: { reference: string; capture: boolean }): Promise<void>
  /** References of authorisations that another installation made. */
  strangers: Set<string>
  /** References of charges at a vendor that our books have lost. */
  lost: Set<string>
  /** References of charges that a vendor, or a person there, treated otherwise than it was asked. */
  touched: Set<string>
  /** Of how many keys a vendor keeps an error, by reference of the charge. */
  kept_errors: Map<string, number>
  /** Until then a comparison may find what no notice tells. */
  compared_until_ms: number
  /** How long requests were on their way, by reference, where that was long. */
  delays: Map<string, number>
  /** When the service last began to send a request, by reference. */
  calls: Map<string, number>
  /** Answers that a process of the service heard. */
  heard: { reference: string; owner: { alive: boolean }; result: string }[]
}

const safe_window_ms = 31_000
const reference_life_ms = 24 * 3_600_000
const silent_ms = 2_000
const slow_refund_ms = 30_000

type Options = { traits?: Traits; moods?: Moods }

export function openBank(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  { traits = plain, moods = honest }: Options = {},
): Bank {
  const authorisations = new Map<string, Authorisation>()
  const settlements: Settlement[] = []
  /** The newest under each reference. */
  const authorised = new Map<string, Authorisation>()
  const settled = new Map<string, Settlement>()
  /** When a reversal that found nothing asked that nothing come after it. */
  const fenced = new Map<string, number>()
  /** The newest approval of each card, amount and shop. */
  const charged = new Map<string, Authorisation>()
  const delays = new Map<string, number>()
  const now = () => clock.now().getTime()
  const mint = () => `bank_${random.bytes(9).toString('hex')}`

  function remembered<Entry extends { asked_ms: number }>(entry?: Entry): Entry | undefined {
    const is_old = entry && now() - entry.asked_ms > reference_life_ms
    return traits.forgets && is_old ? undefined : entry
  }

  async function authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer> {
    const { reference } = request
    const behaviour = testCardOf(request.card.number)?.acquirer ?? null
    if (behaviour === 'lost_then_not_found') return silence()
    const asked = JSON.stringify([request.amount, request.currency, request.capture, request.card])
    if (remembered(settled.get(reference))) return refused('Reference is taken')
    const known = remembered(authorised.get(reference))
    if (known && known.asked !== asked) return refused('Reference is taken')
    const fenced_ms = fenced.get(reference)
    if (fenced_ms !== undefined && now() >= fenced_ms + traits.late_approval_ms) {
      return refused('Reversed before')
    }
    const entry = known ?? open(request, { behaviour, asked })
    if (!known && fenced_ms !== undefined) {
      entry.surprises.push({ what: 'late', at_ms: now() })
      if (entry.result === 'approved') moods.note('bank: approves late')
    }
    if (entry.known_ms !== null && entry.known_ms <= now()) return moods.answer(entry, now())
    if (behaviour !== 'approve_slowly') return silence()
    await clock.sleep(entry.known_ms! - now())
    return answerOf(entry)
  }

  function open(
    request: AuthoriseRequest,
    how: Pick<Parameters<typeof openAuthorisation>[0], 'behaviour' | 'asked'>,
  ): Authorisation {
    const { card, amount, currency, merchant } = request
    const same = JSON.stringify([card.number, amount, currency, merchant.descriptor])
    const before = charged.get(same)
    const is_duplicate =
      before !== undefined && isLive(before, now()) && now() - before.authorised_ms! < traits.finds_duplicates_ms
    const delay_ms = delays.get(request.reference) ?? 0
    const opened = { request, ...how, id: mint(), now_ms: now(), is_duplicate, delay_ms }
    const entry = openAuthorisation(opened)
    if (is_duplicate) moods.note('bank: finds a duplicate')
    moods.approve(entry, traits)
    authorised.set(entry.reference, entry)
    authorisations.set(entry.transaction_id, entry)
    if (entry.result === 'approved') charged.set(same, entry)
    return entry
  }

  async function silence(): Promise<never> {
    await clock.sleep(silent_ms)
    throw new Unanswered('nothing was heard of the bank')
  }

  async function settle(kind: Verb, request: SettleRequest): Promise<SettleAnswer | Accepted> {
    const { reference, amount, currency } = request
    const of = request.authorisation.reference
    const asked = JSON.stringify([kind, of, amount, currency])
    const known = remembered(settled.get(reference))
    if (known) return known.asked === asked ? answerTo(known) : refusal('reference_reused')
    if (remembered(authorised.get(reference))) return refusal('reference_reused')
    const authorisation = authorised.get(of)
    // A reversal that finds nothing sees to it that nothing comes after it.
    if (!authorisation && kind === 'reverse' && !fenced.has(of)) fenced.set(of, now())
    const reason = reasonAgainst(kind, request, authorisation, now())
    const code = reason === null && moods.refuses() ? 'try_again_later' : reason
    if (code === null) {
      if (kind === 'refund') authorisation!.refunded_amount += amount
      else authorisation![`${past[kind]}_ms`] = now()
    }
    if (code === 'do_not_honor') authorisation!.refused_once = true
    if (code === 'expired') moods.note('bank: lets an authorisation lapse')
    const transaction_id = mint()
    const answer: SettleAnswer =
      code === null ? { result: 'approved', acquirer_transaction_id: transaction_id } : refusal(code)
    const asked_ms = now()
    const is_slow = kind === 'refund' && code === null && amount % 100 === 17
    const known_ms = asked_ms + (is_slow ? slow_refund_ms : traits.settles_after_ms)
    const settlement = { kind, reference, of, asked_ms, amount, asked, answer, known_ms, transaction_id }
    settled.set(reference, settlement)
    settlements.push(settlement)
    return answerTo(settlement)
  }

  function answerTo({ answer, known_ms, transaction_id }: Settlement): SettleAnswer | Accepted {
    if (known_ms <= now()) return answer
    moods.note('bank: settles later')
    return { result: 'accepted', acquirer_transaction_id: transaction_id }
  }

  async function lookUp({ reference }: LookUpRequest): Promise<LookUpAnswer> {
    const settlement = remembered(settled.get(reference))
    if (settlement) {
      const { kind, answer, known_ms } = settlement
      return known_ms > now() ? { result: 'in_progress' } : { result: 'found', kind, answer }
    }
    const entry = remembered(authorised.get(reference))
    if (!entry) {
      if (authorised.has(reference) || settled.has(reference)) moods.note('bank: has forgotten')
      return { result: 'not_found' }
    }
    if (entry.known_ms === null || entry.known_ms > now()) return { result: 'in_progress' }
    const standing = standingOf(entry, now())
    return { result: 'found', kind: 'authorise', answer: answerOf(entry), standing }
  }

  async function listAuthorisations({ since, until }: { since: Date; until: Date }) {
    const { clock_ahead_ms } = traits
    const from_ms = since.getTime() - clock_ahead_ms
    const last_ms = Math.min(until.getTime() - clock_ahead_ms, now())
    const within = [...authorisations.values()].filter(
      ({ authorised_ms, listed_ms }) =>
        authorised_ms !== null && authorised_ms >= from_ms && authorised_ms <= last_ms && listed_ms! <= now(),
    )
    return moods
      .list(within, now())
      .sort((a, b) => a.authorised_ms! - b.authorised_ms!)
      .map((entry) => listed(entry, clock_ahead_ms))
  }

  const acquirer: Acquirer = {
    name: 'simulator',
    learned_by: 'reference',
    lists: true,
    safe_window_ms,
    reference_life_ms,
    late_approval_ms: traits.late_approval_ms,
    authorise,
    capture: (request) => settle('capture', request),
    void: (request) => settle('void', request),
    reverse: (request) => settle('reverse', request),
    refund: (request) => settle('refund', request),
    lookUp,
    listAuthorisations,
  }
  const strangers = new Set<string>()
  return {
    acquirer,
    traits,
    accounts: [],
    only_notifies: false,
    authorisations,
    settlements,
    strangers,
    lost: new Set(),
    touched: new Set(),
    kept_errors: new Map(),
    compared_until_ms: 0,
    async addStranger({ reference, capture }) {
      strangers.add(reference)
      await authorise(strangersRequest(reference, capture))
    },
    delays,
    calls: new Map(),
    heard: [],
  }
}

function strangersRequest(reference: string, capture: boolean): AuthoriseRequest {
  const number = '4242424242424242'
  return {
    reference,
    installation: 'lost',
    capture,
    amount: 7_700,
    currency: 'GBP',
    three_ds: null,
    card: { brand: 'visa', number, exp_month: 1, exp_year: 2031, cvc: null, cardholder_name: null },
    merchant: { descriptor: 'Shop', mcc: null, country: null },
    handle: null,
  }
}

function listed(entry: Authorisation, clock_ahead_ms: number): LiveAuthorisation {
  const { reference, installation, amount, currency, captured_ms, captured_amount } = entry
  return {
    reference,
    installation,
    currency,
    captured: captured_ms !== null,
    acquirer_transaction_id: entry.transaction_id,
    amount: captured_amount ?? amount,
    authorised_at: new Date(entry.authorised_ms! + clock_ahead_ms),
  }
}
