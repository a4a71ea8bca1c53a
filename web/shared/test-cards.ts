// The test cards to click, by the keys of their words. `ripper test-cards` has all test cards.

export const testCards = [
  { number: '4000009100020000', words: 'test_approved' },
  { number: '4000009100050072', words: 'test_challenge' },
  { number: '4000009100070070', words: 'test_challenge_passes' },
  { number: '4000009100060071', words: 'test_challenge_fails' },
  { number: '4000009105150000', words: 'test_insufficient_funds' },
  { number: '4000009105490000', words: 'test_expired_card' },
  { number: '4000009105980000', words: 'test_fraud' },
  { number: '4000009190110000', words: 'test_error' },
  { number: '4000009190290000', words: 'test_unknown' },
] as const
