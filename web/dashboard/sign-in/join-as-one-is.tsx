// An invitation for somebody who has an account already: they join as who they are, and sign in first where they are not.

import { useState } from 'react'
import { Refused } from '../client/refused.ts'
import { standingStore } from '../client/standing.ts'
import { Button } from '../parts/button.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'
import { SignInSteps } from './sign-in.tsx'

export function JoinAsOneIs({ onJoin }: { onJoin: () => Promise<void> }) {
  const [is_stranger, setStranger] = useState(false)
  const { attempt, is_busy, fault } = useAttempt()
  const join = () =>
    attempt(async () => {
      try {
        await onJoin()
        standingStore.write('signed_in')
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 401) throw error
        setStranger(true)
      }
    })
  const signedIn = () => {
    setStranger(false)
    void join()
  }
  return (
    <>
      {fault}
      {is_stranger ? (
        <SignInSteps onDone={signedIn} />
      ) : (
        <Button look="primary" size="wide" is_busy={is_busy} onClick={join}>
          {say('join')}
        </Button>
      )}
    </>
  )
}
