// Asks the vendor whether it takes a connection's credentials, and shows what it says.

import type { Connection } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { English } from '../parts/english.tsx'
import { Status } from '../parts/status.tsx'
import { say } from '../words.ts'

export function CheckConnection({ connection }: { connection: Connection }) {
  const { merchant_id } = useHere()
  const { connection_id } = connection
  const act = useAct('POST /{merchant_id}/connections/{connection_id}/check')
  const { data } = act
  return (
    <>
      <span role="status" className="check-result">
        {data && !act.isPending && (
          <>
            <Status
              status={data.works ? 'succeeded' : 'failed'}
              text={say(data.works ? 'credentials_taken' : 'credentials_refused')}
            />
            {[data.reason, ...data.notes].map(
              (note) =>
                note && (
                  <span key={note} className="hint">
                    {' '}
                    <English text={note} />
                  </span>
                ),
            )}
          </>
        )}
      </span>
      <RefusalAlert refused={act.error} />
      <Button size="small" is_busy={act.isPending} onClick={() => act.mutate({ merchant_id, connection_id, body: {} })}>
        {say('check')}
      </Button>
    </>
  )
}
