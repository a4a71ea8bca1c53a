// Sessions that match what somebody looks for among payments: a shopper who never got as far as a payment has a session only.

import { Link } from 'wouter'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { Section } from '../parts/screen.tsx'
import { say } from '../words.ts'
import { type SessionFilters, sessionsPath } from './filters.ts'
import { keptWords } from './kept-words.ts'
import { SessionTable } from './session-table.tsx'
import { looks_max } from './sessions.tsx'

const rows_max = 5

export function MatchingSessions({ text }: { text: string }) {
  const here = useHere()
  const { merchant_id, mode } = here
  const query = { mode, limit: rows_max, text }
  const pages = usePages('GET /{merchant_id}/sessions', { merchant_id, query }, { looks_max })
  const is_full = (pages.answer.data?.length ?? 0) >= rows_max
  return (
    <Section title={say('nav_sessions')} label={say('nav_sessions')}>
      <Loaded answer={pages.answer} rows={2}>
        {(sessions) =>
          sessions.length > 0 ? (
            <SessionTable sessions={sessions} />
          ) : (
            <p>{say(pages.has_more ? 'none_so_far' : 'no_sessions_match')}</p>
          )
        }
      </Loaded>
      {is_full ? <SessionsLink text={text} /> : <Older pages={pages} />}
      <p className="hint">{keptWords(here)}</p>
    </Section>
  )
}

/** The same search on the screen of sessions. */
export function SessionsLink({ text }: { text: string }) {
  const { pathOf } = useHere()
  return (
    <p className="hint center">
      <Link href={pathOf(sessionsPath({ text }))}>{say('sessions_too', { text })}</Link>
    </p>
  )
}

/** An error that a shopper saw at a checkout is often of a session that never came to a payment. */
export function RefusedSessionsLink(days: Pick<SessionFilters, 'created_from' | 'created_before'>) {
  const { pathOf } = useHere()
  return (
    <p className="hint center">
      <Link href={pathOf(sessionsPath({ status: 'could_not_go_on', ...days }))}>{say('refused_sessions_of_days')}</Link>
    </p>
  )
}
