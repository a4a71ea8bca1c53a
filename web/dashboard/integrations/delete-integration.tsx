// Deletes an integration, after a person has read what ends with it.

import type { Integration } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { say } from '../words.ts'

export function DeleteIntegration({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant_id } = useHere()
  const { integration_id, name } = integration
  const act = useAct('DELETE /{merchant_id}/integrations/{integration_id}', ['GET /{merchant_id}/integrations'])
  return (
    <Dialog title={say('delete_integration')} onClose={onClose}>
      <p>{say('delete_integration_words', { name })}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button
          look="danger"
          is_busy={act.isPending}
          onClick={() => act.mutate({ merchant_id, integration_id }, { onSuccess: onClose })}
        >
          {say('delete_integration')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
