// Challenges of the simulated bank in memory, for tests and proofs that have no database.

import type { Challenge, ChallengeStore } from '../../src/three-ds/simulated-issuer/challenges.ts'

export function memoryChallenges(): ChallengeStore & { kept: Map<string, Challenge> } {
  const kept = new Map<string, Challenge>()
  return {
    kept,
    async insert(challenge) {
      kept.set(challenge.acs_transaction_id, challenge)
    },
    async find(acs_transaction_id) {
      return kept.get(acs_transaction_id) ?? null
    },
    async change({ acs_transaction_id, revision }, changes) {
      const stored = kept.get(acs_transaction_id)
      if (stored?.revision !== revision) return null
      const changed = { ...stored, ...changes, revision: revision + 1 }
      kept.set(acs_transaction_id, changed)
      return changed
    },
    async listDue(before, limit) {
      return [...kept.values()]
        .filter(({ due_at }) => due_at !== null && due_at < before)
        .sort((a, b) => a.due_at!.getTime() - b.due_at!.getTime())
        .slice(0, limit)
    },
  }
}
