// A vendor has two environments, and in only one of them money moves. Its answers may show from which of them they come.

import type { Mode } from '../kernel/values.ts'

/** `sandbox`: the vendor's environment for tests. */
export type ConnectionMode = 'live' | 'sandbox'

/** The environment that payments of a mode go to. */
export const environmentOfMode: Record<Mode, ConnectionMode> = { live: 'live', test: 'sandbox' }

/** The mode of the payments that go there. */
export const modeOfPayments: Record<ConnectionMode, Mode> = { live: 'live', sandbox: 'test' }

/** Left out where the answer does not show it. */
export type Environment = { environment?: ConnectionMode }

/** Says that the vendor answers from the other environment; null if it does not, or if nothing shows it. */
export function strangeEnvironment(
  { environment }: Environment,
  mode: ConnectionMode,
): string | null {
  if (environment === undefined || environment === mode) return null
  const answering = environment === 'sandbox' ? 'sandbox' : 'live environment'
  return `the vendor answers from its ${answering}, and the connection is of mode ${mode}`
}
