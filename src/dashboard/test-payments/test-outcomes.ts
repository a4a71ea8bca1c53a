// How a test payment may end, and the card that ends so.

export const test_outcomes = ['paid', 'held', 'declined'] as const
export type TestOutcome = (typeof test_outcomes)[number]

export function isTestOutcome(value: unknown): value is TestOutcome {
  return (test_outcomes as readonly unknown[]).includes(value)
}

/** Published numbers whose bank asks for nothing: see `cards/test-cards.ts`. */
export const cardNumbers: Record<TestOutcome, string> = {
  paid: '4242424242424242',
  held: '5555555555554444',
  declined: '4000000000009995',
}
