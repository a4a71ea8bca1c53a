// Which of an acquirer's authorisations may be orphans, and how those of one reference are told apart: an acquirer may make two charges
// of one request.

import type { AuthorisationName, LiveAuthorisation } from '../acquirers/acquirer.ts'
import { standInReference } from '../acquirers/reference.ts'
import { type Orphan, type RecordedCharge, standsBehind } from './orphan.ts'

/** A listed authorisation, and its payment if that is known. */
export type Suspect = LiveAuthorisation &
  Pick<Orphan, 'merchant_id' | 'payment_id'> & {
    /** Our charge of the same reference, if the acquirer calls that one by another id. */
    beside: RecordedCharge | null
  }

/**
 * The listed authorisations without a payment. An intent is committed before the acquirer is called, so an authorisation that
 * is listed first and looked up afterwards is known by then or never. A known reference is ours, whatever its mark; an unknown
 * one is ours only with our mark. A payment stands on one charge: a second one of the same reference has another id.
 */
export function suspectsAmong(
  liveCharges: LiveAuthorisation[],
  records: RecordedCharge[],
  our_mark: string,
): { suspects: Suspect[]; strangers: number } {
  const charges = new Map(records.map((charge) => [charge.reference, charge]))
  const suspects: Suspect[] = []
  let strangers = 0
  for (const authorisation of liveCharges) {
    const charge = charges.get(authorisation.reference)
    const { merchant_id = null, payment_id = null } = charge ?? {}
    const beside = charge && isAnother(charge, authorisation) ? charge : null
    if (!charge && authorisation.installation !== our_mark) strangers += 1
    else if (!charge || beside || !standsBehind(charge)) {
      suspects.push({ ...authorisation, merchant_id, payment_id, beside })
    }
  }
  return { suspects, strangers }
}

/** Whether the acquirer has given the two of one reference different ids. */
export function isAnother(
  { handle, acquirer_transaction_id }: Pick<AuthorisationName, 'handle' | 'acquirer_transaction_id'>,
  { acquirer_transaction_id: theirs }: Pick<AuthorisationName, 'acquirer_transaction_id'>,
): boolean {
  const ours = handle ?? acquirer_transaction_id
  return ours !== null && theirs !== null && ours !== theirs
}

/** Names each orphan apart: of several with one reference only one keeps it. The others get one that their ids always give. */
export function namedApart(suspects: readonly Suspect[]): Suspect[] {
  const references = new Set<string>()
  return suspects.map((suspect) => {
    const { reference, acquirer_transaction_id, beside } = suspect
    const is_apart = beside !== null || references.has(reference)
    if (!is_apart || acquirer_transaction_id === null) {
      references.add(reference)
      return suspect
    }
    return { ...suspect, reference: standInReference(acquirer_transaction_id) }
  })
}
