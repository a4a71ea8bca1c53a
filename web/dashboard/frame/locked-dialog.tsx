// Over the page while the session is locked. The page behind keeps its state, and requests wait until it is unlocked.

import { send } from '../client/call.ts'
import { forget, queryClient } from '../client/query.ts'
import { lockStore, standingStore } from '../client/standing.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ProveForm } from '../sign-in/prove-form.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'

export function LockedDialog() {
  const standing = useStore(standingStore)
  const accepted = useStore(lockStore)
  if (standing !== 'locked') return null
  return (
    <Dialog title={say('locked_title')} onClose={null} is_opaque>
      <p>{say('locked_words')}</p>
      <ProveForm
        accepted={accepted}
        is_locked
        onProved={() => {
          standingStore.write('signed_in')
          void forget('GET /me')
        }}
      />
      <Button look="plain" onClick={leave}>
        {say('sign_in_as_other')}
      </Button>
    </Dialog>
  )
}

async function leave(): Promise<void> {
  await send('POST /sign-out', { body: {} }).catch(() => undefined)
  queryClient.clear()
  standingStore.write('signed_out')
}
