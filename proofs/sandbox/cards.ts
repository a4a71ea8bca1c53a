// The cards by which each vendor's sandbox shows its outcomes, and what this product has to make of each.

import type { DeclineCategory } from '../../src/acquirers/acquirer.ts'

export type SandboxCards = {
  approved: string
  cvc: string
  exp_month: number
  exp_year: number
  declined: { number: string; code: string; category: DeclineCategory; result?: 'failed' }[]
}

const later = { exp_month: 12, exp_year: 2030 }
const soft = 'soft' as const
const hard = 'hard' as const

export const cardsOf: Record<string, SandboxCards> = {
  checkout: {
    approved: '4242424242424242',
    cvc: '100',
    ...later,
    declined: [
      { number: '4024007181869214', code: 'do_not_honor', category: soft },
      { number: '4544249167673670', code: 'insufficient_funds', category: soft },
      { number: '4734868958733862', code: 'incorrect_cvc', category: soft },
      { number: '4724117215951699', code: 'expired_card', category: hard },
      { number: '4897453568485113', code: 'suspected_fraud', category: 'fraud' },
      { number: '4095254802642505', code: 'issuer_unavailable', category: 'network' },
    ],
  },
  stripe: {
    approved: '4242424242424242',
    cvc: '123',
    ...later,
    declined: [
      { number: '4000000000000002', code: 'card_declined', category: soft },
      { number: '4000000000009995', code: 'insufficient_funds', category: soft },
      { number: '4000000000000127', code: 'incorrect_cvc', category: soft },
      { number: '4000000000006975', code: 'card_velocity_exceeded', category: soft },
      { number: '4000000000000069', code: 'expired_card', category: hard },
      { number: '4000000000009987', code: 'lost_card', category: hard },
      { number: '4000000000009979', code: 'stolen_card', category: hard },
      { number: '4100000000000019', code: 'fraudulent', category: 'fraud' },
      { number: '4000000000000119', code: 'processing_error', category: 'provider_error', result: 'failed' },
    ],
  },
  // Adyen declines by what a request asks for, and the connector asks for nothing.
  adyen: { approved: '4111111111111111', cvc: '737', exp_month: 3, exp_year: 2030, declined: [] },
}
