// The check of connections: whether the vendors take the credentials that are sealed for them.

import { type Check, counted, named, ok, problem, warning } from './finding.ts'

export type ConnectionFacts = {
  disabled: number
  /** Disabled ones that the search for orphans has not reached for hours. */
  unsearched: { connection_id: string; label: string; since: Date }[]
  /** Active ones. `reason` says why the vendor does not take its credentials; null where it does. */
  checked: { connection_id: string; label: string; reason: string | null }[]
  /** Active ones whose key looks like one of the vendor's other environment, and is led to another address. */
  doubtful: { connection_id: string; label: string; doubt: string }[]
  /** Active ones of vendors that this release cannot talk to. */
  not_built_in: { connection_id: string; connector: string }[]
}

export const connectionChecks: Check<ConnectionFacts>[] = [
  {
    name: 'Connections',
    judge({ disabled, unsearched, checked, doubtful, not_built_in }) {
      const failing = checked.filter(({ reason }) => reason !== null)
      if (failing.length > 0) {
        const words = failing.map((each) => `${each.connection_id} (${each.label}): ${each.reason}`)
        return problem(
          `checks fail: ${named(words)}`,
          'ripper connection check tells more; ripper connection rotate puts other credentials in place, and disable ends one.',
        )
      }
      if (not_built_in.length > 0) {
        const words = not_built_in.map((each) => `${each.connection_id} (${each.connector})`)
        return problem(
          `this release cannot talk to the vendors of ${named(words)}`,
          'Payments do not go there: name another connection in the acquiring profile, or disable it.',
        )
      }
      if (doubtful.length > 0) {
        const words = doubtful.map((each) => `${each.connection_id} (${each.label}): ${each.doubt}`)
        return warning(
          `taken because of their api_url: ${named(words)}`,
          'If api_url leads to the vendor, ripper connection rotate puts a key of the right environment in place.',
        )
      }
      if (unsearched.length > 0) {
        const words = unsearched.map(
          ({ connection_id, label, since }) =>
            `${connection_id} (${label}), since ${since.toISOString().slice(0, 16)}Z`,
        )
        return warning(
          `disabled connections do not answer: ${named(words)}`,
          'What was charged there cannot be looked up, captured or refunded: ripper connection rotate puts a key in place that works.',
        )
      }
      if (checked.length + disabled === 0) return ok('there is none')
      return ok(`${counted(checked.length, 'active one')} checked, ${disabled} disabled`)
    },
  },
]
