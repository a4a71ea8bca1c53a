// The model of a key's history: it has one result, which whoever comes first makes and everybody else gets to the byte.

import type { Model, TimedCall } from './search.ts'

export type KeyCall = TimedCall & {
  client: string
  /** `running` where another request under the key is. Null where nothing usable came back. */
  told: { text: string; replayed: boolean } | { refused: string } | 'running' | null
}

/** The result's bytes, or null while there is none. */
type Result = { text: string } | null

export const keyModel: Model<Result, KeyCall> = {
  initial: null,
  keyOf: (state) => (state === null ? 'no result' : `the result ${state.text}`),
  changes: ({ told }) => told === null || (told !== 'running' && 'text' in told),
  after(state, call, { causes }) {
    const { told } = call
    if (told === null || told === 'running') return [state]
    // What was refused was not done, and what was done is not refused afterwards.
    if ('refused' in told) return state === null ? [state] : []
    const { text, replayed } = told
    // Who loses the connection over its commit finds its own result, and another may have found it first.
    if (state !== null) return state.text === text ? [state] : []
    const by_another = causes.some((each) => each !== call)
    return !replayed || by_another ? [{ text }] : []
  },
  tell: ({ client, told }) => `${client}: ${JSON.stringify(told)}`,
}
