// What operators see of findings and comparisons, at the command line and on the dashboard.

import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import type { Finding } from '../comparison.ts'
import type { Comparison } from './comparison-store.ts'

export function viewFinding(finding: Finding) {
  const { acquirer, reference, kind, mode, merchant_id, payment_id, ours, theirs } = finding
  return {
    acquirer,
    reference,
    kind,
    mode,
    merchant_id,
    payment_id,
    ours,
    theirs,
    found_at: timestamp(finding.found_at),
    seen_at: timestamp(finding.seen_at),
    cleared_at: timestampOrNull(finding.cleared_at),
    resolved_at: timestampOrNull(finding.resolved_at),
    resolved_by: finding.resolved_by,
    resolved_reason: finding.resolved_reason,
  }
}

export function viewComparison(comparison: Comparison) {
  return {
    acquirer: comparison.acquirer,
    due_at: timestamp(comparison.due_at),
    ended_at: timestampOrNull(comparison.ended_at),
    compared_since: timestampOrNull(comparison.compared_since),
    compared_until: timestampOrNull(comparison.compared_until),
    ours: comparison.ours,
    theirs: comparison.theirs,
    failure: comparison.failure,
  }
}
