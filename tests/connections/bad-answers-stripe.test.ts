// What Stripe may answer wrongly: never approved by guessing, never charged twice, and told to people.

import { badAnswerTable } from '../support/bad-answers.ts'

await badAnswerTable('stripe', [
  ['unauthorised', 'failed', 'certain'],
  ['forbidden', 'failed', 'certain'],
  ['blocked', 'failed', 'certain'],
  ['invalid', 'failed', 'certain'],
  ['conflict', 'failed'],
  ['too_many', 'failed'],
  ['error_before', 'failed'],
  ['error_before_kept', 'failed'],
  ['error_after', 'captured'],
  ['proxy_says_400', 'captured'],
  ['html', 'captured'],
  ['html_404', 'captured'],
  ['empty', 'captured'],
  ['truncated', 'captured'],
  ['wrong_amount', 'failed', 'certain'],
  ['one_wrong_amount', 'captured'],
  ['wrong_currency', 'failed', 'certain'],
  ['strange_currency', 'captured'],
  ['strange_status', 'captured'],
  ['wrong_id', 'captured'],
])
