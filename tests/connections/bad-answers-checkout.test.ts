// What Checkout.com may answer wrongly: never approved by guessing, never charged twice, and told to people.

import { badAnswerTable } from '../support/bad-answers.ts'

await badAnswerTable('checkout', [
  ['unauthorised', 'failed', 'certain'],
  ['forbidden', 'failed', 'certain'],
  ['blocked', 'failed', 'certain'],
  ['unprocessable', 'failed', 'certain'],
  ['conflict', 'captured'],
  ['too_many', 'failed'],
  ['error_before', 'failed'],
  ['error_after', 'captured'],
  ['proxy_says_422', 'captured'],
  ['html', 'captured'],
  ['html_404', 'captured'],
  ['empty', 'captured'],
  ['truncated', 'captured'],
  ['wrong_amount', 'failed', 'certain'],
  ['wrong_currency', 'failed', 'certain'],
  ['strange_currency', 'captured'],
  ['strange_status', 'captured'],
  ['contradiction', 'captured'],
  ['wrong_reference', 'captured'],
])
