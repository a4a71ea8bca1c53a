// Sends a test event to an endpoint, and shows what the receiver answered.

import type { Endpoint } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Status } from '../parts/status.tsx'
import { say } from '../words.ts'
import { AnswerBody } from './answer-body.tsx'
import { answerWords } from './failure.ts'

export function SendTest({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/webhooks/endpoints/{endpoint_id}/test')
  const send = () => act.mutate({ merchant_id, endpoint_id: endpoint.id, body: {} })
  const { data } = act
  return (
    <Dialog title={say('send_test_event')} onClose={onClose}>
      <p className="breakable">{endpoint.url}</p>
      <p>{say('send_test_event_words')}</p>
      <div role="status">
        {data && !act.isPending && (
          <Facts
            rows={[
              [say('column_status'), <Status key="status" status={data.succeeded ? 'succeeded' : 'failed'} />],
              [say('column_answer'), answerWords(data)],
              [say('column_duration'), say('milliseconds', { count: Math.round(data.duration_ms) })],
              [say('column_event'), data.event_id],
            ]}
          />
        )}
      </div>
      {data && <AnswerBody text={data.response_body} />}
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('close')}</Button>
        <Button look="primary" is_busy={act.isPending} onClick={send}>
          {say(data ? 'send_once_more' : 'send')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
