// What Adyen may answer wrongly: never approved by guessing, never charged twice, and told to people.

import { badAnswerTable } from '../support/bad-answers.ts'

await badAnswerTable('adyen', [
  ['unauthorised', 'failed', 'certain'],
  ['forbidden', 'failed', 'certain'],
  ['unprocessable', 'failed', 'certain'],
  ['never_left', 'failed', 'certain'],
  ['running', 'captured'],
  ['too_many', 'failed'],
  ['error_before', 'failed'],
  ['error_after', 'captured'],
  ['proxy_says_422', 'captured'],
  ['html', 'captured'],
  ['empty', 'captured'],
  ['truncated', 'captured'],
  ['wrong_amount', 'failed', 'certain'],
  ['wrong_currency', 'failed', 'certain'],
  ['strange_currency', 'captured'],
  ['strange_result', 'captured'],
  ['wrong_reference', 'captured'],
])
