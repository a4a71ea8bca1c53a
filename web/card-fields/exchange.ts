// Exchanges the card for a reference: silently as soon as the card is complete, and with an answer when the checkout asks.

import type { SubmitResult } from '../shared/protocol.ts'
import type { CardInputs } from './card-inputs.ts'
import type { Fields } from './fields.ts'
import type { Judge } from './judge.ts'
import type { CardReferences } from './references.ts'

type ExchangeOptions = {
  fields: Fields
  card: CardInputs
  judge: Judge
  references: CardReferences
}

export function exchange({ fields, card, judge, references }: ExchangeOptions) {
  const { inputs } = fields
  let submitting: Promise<SubmitResult> | null = null

  async function submitted(): Promise<SubmitResult> {
    card.heedFilled()
    judge.all()
    const faults = judge.faults()
    if (faults.length > 0) return { ok: false, faults, error: null }
    const typed = card.typedCard()
    const answer = await references.need(typed)
    if (answer.kind === 'made') {
      const { card_reference, brand, last4 } = answer
      return { ok: true, card_reference, brand, last4 }
    }
    if (answer.kind === 'error') return { ok: false, faults: [], error: answer.error }
    if (typed.edition === card.edition()) judge.refuse(answer.fault)
    judge.all()
    return { ok: false, faults: [answer.fault], error: null }
  }

  return {
    /** Reports no failure except a refused number, and that only after the shopper has left its field. */
    async early(): Promise<void> {
      card.heedFilled()
      if (submitting || judge.faults().length > 0) return
      const typed = card.typedCard()
      const answer = await references.early(typed)
      if (answer?.kind !== 'refused' || answer.fault.field !== 'number') return
      if (typed.edition !== card.edition()) return
      judge.refuse(answer.fault)
      if (document.activeElement !== inputs.number) judge.left('number')
    },

    /** A second call before the answer gets the same answer. Never rejects. */
    submit(): Promise<SubmitResult> {
      submitting ??= submitted().finally(() => {
        submitting = null
      })
      return submitting
    },
  }
}
