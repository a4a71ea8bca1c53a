// What hyperswitch-prism 0.4.0 reads otherwise, each with the reason why the fault is its own and not the fakes'.

export type Difference = { vendor: string; step: string; reads: string; why: string }

export const differences: Difference[] = [
  {
    vendor: 'checkout',
    step: 'captured',
    reads: 'CHARGED',
    why: 'It takes the 202 of a capture that is merely accepted for the capture itself.',
  },
  {
    vendor: 'checkout',
    step: 'refunded',
    reads: 'REFUND_SUCCESS',
    why: 'It takes the 202 of a refund that is merely accepted for the refund itself.',
  },
]
