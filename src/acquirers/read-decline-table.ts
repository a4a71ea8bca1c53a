// How a connector's table of its vendor's decline codes is read: what each means in our terms, and which of them another acquirer
// may be asked about.

import type { AuthoriseAnswer, Decline, DeclineCategory } from './acquirer.ts'

/**
 * Our code, its category, and the vendor's codes. A row with `elsewhere` may be tried at another acquirer: the issuer
 * refused only this time, and certainly. Refusals by the vendor or the network never have it, such as a duplicate of a
 * charge whose answer was lost.
 */
export type DeclineRow = [code: string, category: DeclineCategory, theirs: string, may_retry?: 'elsewhere']

export type Meaning = Omit<Decline, 'reason'> & { may_retry_elsewhere: boolean }

/** A vendor's decline in our terms. */
export type TheirDecline = Meaning & Pick<Decline, 'reason'>

/** By the vendor's code. */
export function meaningsOf(table: readonly DeclineRow[]): Map<string, Meaning> {
  return new Map(
    table.flatMap(([code, category, theirs, may_retry]) =>
      theirs.split(/\s+/).map((each): [string, Meaning] => {
        return [each, { code, category, may_retry_elsewhere: may_retry === 'elsewhere' }]
      }),
    ),
  )
}

/** The meaning of a code that is not in the table. */
export function unlisted(code: string, category: DeclineCategory): Meaning {
  return { code, category, may_retry_elsewhere: false }
}

/**
 * Mastercard's advice codes "do not try again" and "recurring payment cancelled": `merchantAdviceCodeRaw` of
 * developer.cybersource.com/docs, read in 2026-11.
 */
const never_again = ['03', '21']

/** Whether the network advises never to try the card again. Words may follow its code. */
export function isAgainst(network_advice: string | null): boolean {
  return never_again.some((code) => new RegExp(`^${code}(?!\\w)`).test(network_advice ?? ''))
}

/** The same decline for a card that must not be tried again, here or elsewhere: networks fine merchants who do. */
export function forGood(decline: TheirDecline): TheirDecline {
  const { category } = decline
  const is_open = category === 'soft' || category === 'network'
  return { ...decline, category: is_open ? 'hard' : category, may_retry_elsewhere: false }
}

/** The charge's end: an error at the vendor is no decline. */
export function endedBy(
  { may_retry_elsewhere, ...decline }: TheirDecline,
  acquirer_transaction_id: string | null,
): Extract<AuthoriseAnswer, { result: 'declined' | 'failed' }> {
  const ending = { decline, acquirer_transaction_id }
  if (decline.category === 'provider_error') return { result: 'failed', ...ending }
  return { result: 'declined', ...ending, ...(may_retry_elsewhere && { may_retry_elsewhere }) }
}
