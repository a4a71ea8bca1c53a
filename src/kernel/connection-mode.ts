// A vendor has two environments, and money moves in only one of them. A connection is for one environment.

import type { Mode } from './values.ts'

/** `sandbox`: the vendor's environment for tests. */
export const connection_modes = ['live', 'sandbox'] as const
export type ConnectionMode = (typeof connection_modes)[number]

/** An environment in words: `the vendor's …`. */
export const environmentWords: Record<ConnectionMode, string> = {
  sandbox: 'sandbox',
  live: 'live environment',
}

/** The environment that payments of a mode go to. */
export const environmentOfMode: Record<Mode, ConnectionMode> = { live: 'live', test: 'sandbox' }

/** The mode of the payments in an environment. */
export const modeOfPayments: Record<ConnectionMode, Mode> = { live: 'live', sandbox: 'test' }
