// Proves by a new sign-in at the provider of single sign-on. It is another site, so the round opens beside this page, which
// keeps its state.

import { useState } from 'react'
import type { Me } from '../client/answers.ts'
import { send } from '../client/call.ts'
import { queryClient, useAnswer } from '../client/query.ts'
import { Refused } from '../client/refused.ts'
import { Alert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'

export function ByProvider({ onProved }: { onProved: () => void }) {
  const answer = useAnswer('GET /sign-in/ways', {})
  return (
    <Loaded answer={answer} rows={2}>
      {({ single_sign_on }) => {
        if (!single_sign_on) return <Alert>{say('single_sign_on_refused')}</Alert>
        const { name, prove_path } = single_sign_on
        return (
          <div className="form">
            <p>{say('prove_single_sign_on_words')}</p>
            <a className="button primary wide" href={prove_path} target="_blank" rel="noopener">
              {say('single_sign_on', { name })}
            </a>
            <GoOn onProved={onProved} />
          </div>
        )
      }}
    </Loaded>
  )
}

/** The person's word alone uncovers no locked page: the service is asked whether it has seen the round. */
function GoOn({ onProved }: { onProved: () => void }) {
  const [before] = useState(() => queryClient.getQueryData<Me>(['GET /me', {}])?.session.proved_at)
  const [is_missing, setMissing] = useState(false)
  const { attempt, is_busy, fault } = useAttempt()
  const goOn = () => {
    setMissing(false)
    return attempt(async () => {
      if ((await readProof(before)) === before) setMissing(true)
      else onProved()
    })
  }
  return (
    <>
      {is_missing && <Alert>{say('prove_single_sign_on_not_yet')}</Alert>}
      {fault}
      <Button size="wide" is_busy={is_busy} onClick={goOn}>
        {say('prove_single_sign_on_done')}
      </Button>
    </>
  )
}

/** When the session was proved last; as before while it is still locked. */
async function readProof(before: string | undefined): Promise<string | undefined> {
  try {
    return (await send('GET /me', {})).session.proved_at
  } catch (error) {
    if (error instanceof Refused && error.code === 'session_locked') return before
    throw error
  }
}
