// The acquirer of a simulated world: books of its own in memory, written without a look at the service's.

import type {
  Acquirer,
  AuthorisationStanding,
  AuthoriseAnswer,
  AuthoriseRequest,
  Decline,
  LookUpAnswer,
  SettleAnswer,
  SettleRequest,
} from '../../src/acquirers/acquirer.ts'
import { Unanswered } from '../../src/acquirers/acquirer.ts'
import { type AcquirerBehaviour, testCardOf } from '../../src/cards/test-cards.ts'
import type { World } from '../../src/world.ts'

type Verb = 'capture' | 'void' | 'reverse'

/** An authorisation as it was asked for, and where its money is. Times in milliseconds; null for what did not happen. */
export type Authorisation = {
  kind: 'authorise'
  reference: string
  asked_ms: number
  asked: string
  installation: string
  amount: number
  currency: string
  capture: boolean
  behaviour: AcquirerBehaviour | null
  transaction_id: string
  /** Null where nobody will ever know. */
  result: 'approved' | 'declined' | 'failed' | null
  decline: Decline | null
  known_ms: number | null
  authorised_ms: number | null
  captured_ms: number | null
  voided_ms: number | null
  reversed_ms: number | null
  refused_once: boolean
}

export type Settlement = {
  kind: Verb
  reference: string
  of: string
  asked_ms: number
  asked: string
  answer: SettleAnswer
}

export type Bank = {
  acquirer: Acquirer
  authorisations: Map<string, Authorisation>
  settlements: Map<string, Settlement>
  /** References of authorisations that another installation made. */
  strangers: Set<string>
}

const safe_window_ms = 31_000
const found_after_ms = 30_000
const slow_ms = 8_000
const silent_ms = 2_000

const words: Partial<Record<AcquirerBehaviour, [Decline['category'], string, string?]>> = {
  card_declined: ['soft', 'Card declined'],
  do_not_honor: ['soft', 'Do not honour'],
  insufficient_funds: ['soft', 'Insufficient funds'],
  incorrect_cvc: ['soft', 'Security code does not match'],
  card_velocity_exceeded: ['soft', 'Used too often'],
  authentication_required: ['soft', 'Strong authentication wanted'],
  expired_card: ['hard', 'Expired card'],
  lost_card: ['hard', 'Lost card'],
  stolen_card: ['hard', 'Stolen card'],
  suspected_fraud: ['fraud', 'Suspected fraud'],
  fraudulent: ['fraud', 'Taken for fraud'],
  issuer_unavailable: ['network', 'Issuer unavailable'],
  processing_error: ['provider_error', 'Processing error'],
  lost_then_declined: ['soft', 'Do not honour', 'do_not_honor'],
}

export function openBank({ clock, random }: Pick<World, 'clock' | 'random'>): Bank {
  const authorisations = new Map<string, Authorisation>()
  const settlements = new Map<string, Settlement>()
  const fenced = new Set<string>()
  const now = () => clock.now().getTime()
  const mint = () => `bank_${random.bytes(9).toString('hex')}`

  async function authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer> {
    const { reference } = request
    const behaviour = testCardOf(request.card.number)?.acquirer ?? null
    if (behaviour === 'lost_then_not_found') return silence()
    const asked = JSON.stringify([request.amount, request.currency, request.capture, request.card])
    if (settlements.has(reference)) return reused
    const known = authorisations.get(reference)
    if (known && known.asked !== asked) return reused
    if (fenced.has(reference)) return overtaken
    const entry = known ?? opened({ request, behaviour, asked, id: mint(), now_ms: now() })
    authorisations.set(reference, entry)
    if (entry.known_ms !== null && entry.known_ms <= now()) return answerOf(entry)
    if (behaviour !== 'approve_slowly') return silence()
    await clock.sleep(entry.known_ms! - now())
    return answerOf(entry)
  }

  async function silence(): Promise<never> {
    await clock.sleep(silent_ms)
    throw new Unanswered('nothing was heard of the bank')
  }

  async function settle(kind: Verb, request: SettleRequest): Promise<SettleAnswer> {
    const { reference, authorisation_reference: of, amount, currency } = request
    const asked = JSON.stringify([kind, of, amount, currency])
    const known = settlements.get(reference)
    if (known) return known.asked === asked ? known.answer : refusal('reference_reused')
    if (authorisations.has(reference)) return refusal('reference_reused')
    const authorisation = authorisations.get(of)
    // A reversal that finds nothing sees to it that nothing comes after it.
    if (!authorisation && kind === 'reverse') fenced.add(of)
    const code = reasonAgainst(kind, request, authorisation, now())
    if (code === null) authorisation![`${past[kind]}_ms`] = now()
    if (code === 'do_not_honor') authorisation!.refused_once = true
    const answer: SettleAnswer =
      code === null ? { result: 'approved', acquirer_transaction_id: mint() } : refusal(code)
    settlements.set(reference, { kind, reference, of, asked_ms: now(), asked, answer })
    return answer
  }

  async function lookUp(reference: string): Promise<LookUpAnswer> {
    const settlement = settlements.get(reference)
    if (settlement) return { result: 'found', kind: settlement.kind, answer: settlement.answer }
    const entry = authorisations.get(reference)
    if (!entry) return { result: 'not_found' }
    if (entry.known_ms === null || entry.known_ms > now()) return { result: 'in_progress' }
    return {
      result: 'found',
      kind: 'authorise',
      answer: answerOf(entry),
      standing: standingOf(entry),
    }
  }

  const acquirer: Acquirer = {
    name: 'simulator',
    safe_window_ms,
    reference_life_ms: 24 * 3_600_000,
    late_approval_ms: 0,
    authorise,
    capture: (request) => settle('capture', request),
    void: (request) => settle('void', request),
    reverse: (request) => settle('reverse', request),
    lookUp,
    async listAuthorisations({ since, until }) {
      const last_ms = Math.min(until.getTime(), now())
      return [...authorisations.values()]
        .filter((entry) => isLive(entry, last_ms) && entry.authorised_ms! >= since.getTime())
        .sort((a, b) => a.authorised_ms! - b.authorised_ms!)
        .map(({ reference, installation, amount, currency, authorised_ms, captured_ms }) => ({
          ...{ reference, installation, amount, currency, captured: captured_ms !== null },
          authorised_at: new Date(authorised_ms!),
        }))
    },
  }
  return { acquirer, authorisations, settlements, strangers: new Set() }
}

/** It holds or took money. */
export function isLive(entry: Authorisation, at_ms: number): boolean {
  const { authorised_ms, voided_ms, reversed_ms } = entry
  return (
    authorised_ms !== null && authorised_ms <= at_ms && voided_ms === null && reversed_ms === null
  )
}

const past = { capture: 'captured', void: 'voided', reverse: 'reversed' } as const

type Asked = {
  request: AuthoriseRequest
  behaviour: AcquirerBehaviour | null
  asked: string
  id: string
  now_ms: number
}

function opened({ request, behaviour, asked, id, now_ms }: Asked): Authorisation {
  const { reference, installation, amount, currency, capture } = request
  const [category, reason, code] = (behaviour && words[behaviour]) ?? []
  const is_stranger = behaviour === null
  const decline: Decline | null = is_stranger
    ? { code: 'processing_error', category: 'provider_error', reason: 'Not a card of this bank' }
    : category
      ? { code: code ?? behaviour, category, reason: reason! }
      : null
  const is_lost = behaviour === 'lost_then_captured' || behaviour === 'lost_then_declined'
  const delay_ms = is_lost ? found_after_ms : behaviour === 'approve_slowly' ? slow_ms : 0
  const known_ms = behaviour === 'lost_for_ever' ? null : now_ms + delay_ms
  const refused = decline?.category === 'provider_error' ? 'failed' : 'declined'
  const result = known_ms === null ? null : decline ? refused : 'approved'
  const authorised_ms = result === 'approved' ? known_ms : null
  return {
    kind: 'authorise',
    ...{ reference, asked_ms: now_ms, asked, installation, amount, currency, capture, behaviour },
    ...{ transaction_id: id, result, decline, known_ms, authorised_ms },
    captured_ms: capture ? authorised_ms : null,
    voided_ms: null,
    reversed_ms: null,
    refused_once: false,
  }
}

function answerOf(entry: Authorisation): AuthoriseAnswer {
  const { result, decline, transaction_id: acquirer_transaction_id } = entry
  const { amount, currency, capture: captured } = entry
  if (result === 'approved') {
    return { result, acquirer_transaction_id, captured, amount, currency }
  }
  return {
    result: result === 'declined' ? 'declined' : 'failed',
    decline: decline!,
    acquirer_transaction_id,
  }
}

function standingOf(entry: Authorisation): AuthorisationStanding | null {
  if (entry.result !== 'approved') return null
  const { amount, currency, captured_ms, voided_ms, reversed_ms } = entry
  const taken = captured_ms === null ? 'reserved' : 'captured'
  const state = reversed_ms !== null ? 'reversed' : voided_ms !== null ? 'voided' : taken
  return { state, amount, currency }
}

const reused: AuthoriseAnswer = {
  result: 'failed',
  decline: { code: 'processing_error', category: 'provider_error', reason: 'Reference is taken' },
  acquirer_transaction_id: null,
}

const overtaken: AuthoriseAnswer = {
  result: 'failed',
  decline: { code: 'processing_error', category: 'provider_error', reason: 'Reversed before' },
  acquirer_transaction_id: null,
}

function reasonAgainst(
  kind: Verb,
  { amount, currency }: SettleRequest,
  authorisation: Authorisation | undefined,
  now_ms: number,
): string | null {
  if (!authorisation) return 'unknown_authorisation'
  const { result, known_ms } = authorisation
  if (known_ms !== null && known_ms > now_ms) return 'in_progress'
  if (result === 'declined' || result === 'failed') return 'not_approved'
  if (amount !== authorisation.amount || currency !== authorisation.currency) {
    return 'amount_mismatch'
  }
  if (authorisation.reversed_ms !== null) return 'already_reversed'
  if (authorisation.voided_ms !== null) return 'already_voided'
  if (authorisation.captured_ms !== null && kind !== 'reverse') return 'already_captured'
  const is_first = authorisation.behaviour === `refuse_${kind}_once` && !authorisation.refused_once
  return is_first ? 'do_not_honor' : null
}

function refusal(decline_code: string): SettleAnswer {
  const authorisation_known = decline_code !== 'unknown_authorisation'
  const reason = decline_code.replaceAll('_', ' ')
  return { result: 'refused', reason, decline_code, authorisation_known }
}
