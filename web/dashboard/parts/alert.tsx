// What went wrong, in an element that screen readers read out at once.

import { type ReactNode, useEffect, useRef } from 'react'
import type { Refused } from '../client/refused.ts'
import { say, sayCode } from '../words.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export function Alert({ children }: { children: ReactNode }) {
  return (
    <div className="alert" role="alert">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  )
}

/** What another try does not mend. */
const stays = new Set(['permission_denied', 'second_factor_required', 'both_ways_required'])

/** A refusal in words, with the id by which the server's log knows it. */
export function RefusalAlert({
  refused,
  onRetry,
}: {
  refused: Refused | null | undefined
  onRetry?: () => void
}) {
  const place = useRef<HTMLDivElement>(null)
  // A list that is read every few seconds is refused as often: only the first time moves the page.
  const code = refused?.code
  useEffect(() => {
    if (code) place.current?.scrollIntoView({ block: 'nearest' })
  }, [code])
  if (!refused) return null
  return (
    <div ref={place}>
      <Alert>
        <p>{refusalWords(refused)}</p>
        {refused.request_id && <p className="hint">{refused.request_id}</p>}
        {onRetry && !stays.has(refused.code) && (
          <Button size="small" onClick={onRetry}>
            {say('try_again')}
          </Button>
        )}
      </Alert>
    </div>
  )
}

/** Our words for codes that people meet, else the server's. */
export function refusalWords(refused: Refused): string {
  const known = sayCode('refusal', refused.code)
  const is_known = known !== refused.code.replaceAll('_', ' ')
  if (refused.code === 'too_many_attempts' && refused.retry_after !== null) {
    return say('refusal_wait', { minutes: Math.max(1, Math.ceil(refused.retry_after / 60)) })
  }
  return is_known || refused.message === refused.code ? known : refused.message
}
