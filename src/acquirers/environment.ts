// A vendor's answers may show from which of its environments they come.

import { type ConnectionMode, environmentWords } from '../kernel/connection-mode.ts'

/** Left out if the answer does not show it. */
export type AnswerEnvironment = { environment?: ConnectionMode }

/** Says that the vendor answers from the other environment; null if it does not, or if nothing shows it. */
export function strangeEnvironment({ environment }: AnswerEnvironment, mode: ConnectionMode): string | null {
  if (environment === undefined || environment === mode) return null
  return `the vendor answers from its ${environmentWords[environment]}, and the connection is of mode ${mode}`
}
