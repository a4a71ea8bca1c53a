// Asks for a passkey or a one-time code before a grave act. What was asked for is then sent again by client/call.ts.

import { proofStore } from '../client/standing.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProveForm } from '../sign-in/prove-form.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'

export function ProofDialog() {
  const asked = useStore(proofStore)
  if (!asked) return null
  return (
    <Dialog title={say('proof_title')} onClose={() => asked.end(false)}>
      <p>{say('proof_words')}</p>
      <ProveForm accepted={asked.accepted} onProved={() => asked.end(true)} />
    </Dialog>
  )
}
