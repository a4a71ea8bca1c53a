// What went wrong, in an element that screen readers read out at once.

import { type ReactNode, useEffect, useRef } from 'react'
import type { Refused } from '../client/refused.ts'
import { say } from '../words.ts'
import { Button } from './button.tsx'
import { Copyable } from './copy.tsx'
import { English } from './english.tsx'
import { Icon } from './icon.tsx'
import { knownWords, refusalWords } from './refusal-words.ts'

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

/** A refusal in words. */
export function RefusalAlert({ refused, onRetry }: { refused: Refused | null | undefined; onRetry?: () => void }) {
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
        <RefusalDetails refused={refused} />
        {onRetry && !stays.has(refused.code) && (
          <Button size="small" onClick={onRetry}>
            {say('try_again')}
          </Button>
        )}
      </Alert>
    </div>
  )
}

/** For whoever asks for help: the service's own sentence, and the id by which its log knows the request. */
export function RefusalDetails({ refused }: { refused: Refused }) {
  const { request_id, message, code } = refused
  if (!request_id && message === code) return null
  return (
    <details className="hint" open={knownWords(refused) === null}>
      <summary>{say('details')}</summary>
      {message !== code && (
        <p>
          <English text={message} />
        </p>
      )}
      {request_id && (
        <p>
          {say('request_id')}: <Copyable text={request_id} label={say('request_id')} />
        </p>
      )}
    </details>
  )
}
