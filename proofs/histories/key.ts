// The model of a key's history: it has one result, which whoever comes first makes and everybody else gets to the byte.

import type { Model, TimedCall } from './search.ts'

export type KeyCall = TimedCall & {
  client: string
  /** `running` where a request under the key runs, perhaps its own. Null where nothing usable came back. */
  told: { text: string; replayed: boolean } | { refused: string } | 'running' | null
}

/**
 * The result's bytes; `begun` where a caller was told that a request runs; null before. A caller who loses the
 * connection while its own request is written down is told so, too: then it alone is the first, and meets only replays.
 */
type Result = { text: string } | 'begun' | null

export const keyModel: Model<Result, KeyCall> = {
  initial: null,
  keyOf(state) {
    if (state === null) return 'no result'
    return state === 'begun' ? 'a request that runs' : `the result ${state.text}`
  },
  changes: ({ told }) => told === null || told === 'running' || 'text' in told,
  after(state, call, { causes }) {
    const { told } = call
    if (told === null) return [state]
    const is_made = state !== null && state !== 'begun'
    if (told === 'running') return [is_made ? state : 'begun']
    // What was refused was not done, and what was done is not refused afterwards.
    if ('refused' in told) return is_made ? [] : [state]
    const { text, replayed } = told
    // Who loses the connection over its commit finds its own result, and another may have found it first.
    if (is_made) return state.text === text ? [state] : []
    const by_another = state === 'begun' || causes.some((each) => each !== call)
    return !replayed || by_another ? [{ text }] : []
  },
  tell: ({ client, told }) => `${client}: ${JSON.stringify(told)}`,
}
