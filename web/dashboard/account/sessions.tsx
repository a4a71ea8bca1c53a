// Where the person is signed in, and ways to end that.

import type { Account } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Section } from '../parts/screen.tsx'
import { say } from '../words.ts'

export function Sessions({ account: { sessions } }: { account: Account }) {
  const end = useAct('DELETE /me/sessions/{session_id}', ['GET /me/account'])
  const endOthers = useAct('POST /me/sessions/end-others', ['GET /me/account'])
  return (
    <Section title={say('my_sessions')}>
      <ul className="items">
        {sessions.map(({ session_id, browser, address, seen_at, is_this }) => (
          <li key={session_id}>
            <span>
              <Name text={browser} />{' '}
              <span className="hint">
                <bdi>{address}</bdi> · {is_this ? say('this_session') : <Moment at={seen_at} />}
              </span>
            </span>
            {!is_this && (
              <Button size="small" onClick={() => end.mutate({ session_id })}>
                {say('end_session')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <RefusalAlert refused={end.error ?? endOthers.error} />
      <Button is_busy={endOthers.isPending} onClick={() => endOthers.mutate({ body: {} })}>
        {say('end_other_sessions')}
      </Button>
    </Section>
  )
}
