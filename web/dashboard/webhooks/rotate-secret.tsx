// Gives an endpoint a new signing secret and shows it this once; the old one signs on until receivers have changed over.

import type { Endpoint } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { exactWords } from '../parts/moment.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say } from '../words.ts'
import { standardSecret } from './standard-secret.ts'

export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/webhooks/endpoints/{endpoint_id}/rotate')
  const rotate = () => act.mutate({ merchant_id, endpoint_id: endpoint.id, body: {} })
  if (act.data) {
    const until = exactWords(new Date(act.data.previous_secret_until))
    return (
      <Dialog title={say('secret_rotated')} onClose={null}>
        <div className="form">
          <SecretRegion
            label={say('signing_secret')}
            texts={[act.data.signing_secret]}
            note={say('secret_rotated_words', { until })}
            also={standardSecret(act.data)}
            onKept={onClose}
          />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={say('rotate_secret')} onClose={onClose}>
      <p className="breakable">{endpoint.url}</p>
      <p>{say('rotate_secret_words')}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button look="primary" is_busy={act.isPending} onClick={rotate}>
          {say('rotate_secret')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
