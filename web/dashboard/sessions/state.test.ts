import { expect, test } from 'vitest'
import type { SessionRow } from '../client/answers.ts'
import { sessionStateOf } from './state.ts'

const holdOf = (status: NonNullable<SessionRow['hold']>['status']): SessionRow['hold'] => ({
  status,
  reason: 'mismatch',
  detail: null,
  deadline: '',
  decided_by: null,
  decided_at: null,
  operation_refusal: null,
})

test.each<[SessionRow['status'], SessionRow['hold'], string]>([
  ['succeeded', null, 'captured'],
  ['succeeded', holdOf('pending_review'), 'held'],
  ['succeeded', holdOf('escalated'), 'held'],
  ['succeeded', holdOf('captured'), 'captured'],
  ['succeeded', holdOf('voided'), 'voided'],
  ['requires_payment', null, 'requires_payment'],
  ['processing', null, 'processing'],
  ['declined', null, 'declined'],
  ['expired', null, 'expired'],
])('a session that is %s, with the hold %o, stands as %s', (status, hold, state) => {
  expect(sessionStateOf({ status, hold })).toBe(state)
})
