// An answer in its three states: not there yet, refused, there.

import type { ReactNode } from 'react'
import type { Refused } from '../client/refused.ts'
import { say } from '../words.ts'
import { RefusalAlert } from './alert.tsx'

type Answer<Data> = {
  data: Data | undefined
  error: Refused | null
  refetch(): unknown
}

export function Loaded<Data>({
  answer,
  rows = 6,
  children,
}: {
  answer: Answer<Data>
  /** How many lines the place will roughly have. */
  rows?: number
  children: (data: Data) => ReactNode
}) {
  if (answer.data !== undefined) {
    return (
      <>
        {answer.error && <RefusalAlert refused={answer.error} onRetry={() => answer.refetch()} />}
        {children(answer.data)}
      </>
    )
  }
  if (answer.error) return <RefusalAlert refused={answer.error} onRetry={() => answer.refetch()} />
  return <Loading rows={rows} />
}

export function Loading({ rows }: { rows: number }) {
  return (
    <div className="loading">
      <p role="status" className="unseen">
        {say('loading')}
      </p>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={row} className="loading-row" aria-hidden="true" />
      ))}
    </div>
  )
}
