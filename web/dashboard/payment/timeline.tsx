// What happened to a payment or session as a story, who did it, and what is still to come. Each step is there for those who want it.

import { type ReactNode, useState } from 'react'
import type { Timeline as Life, Payment } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { handWords } from '../parts/change.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Toggle } from '../parts/toggle.tsx'
import { say, sayCount } from '../words.ts'
import { actorOf, isStep, rulesIn, sentenceOf } from './story.ts'
import { type Entry, entriesOf, foundNothing } from './timeline-entries.ts'

/** Of a payment, or of a session by its own id; read anew `every_ms` where that is given. */
export function useLife(id: string, every_ms?: number) {
  const { merchant_id } = useHere()
  const is_session = id.startsWith('cs_')
  const ofSession = useAnswer(
    'GET /{merchant_id}/sessions/{session_id}/timeline',
    { merchant_id, session_id: id },
    { is_wanted: is_session, every_ms },
  )
  const ofPayment = useAnswer(
    'GET /{merchant_id}/payments/{payment_id}/timeline',
    { merchant_id, payment_id: id },
    { is_wanted: !is_session, every_ms },
  )
  return is_session ? ofSession : ofPayment
}

export function Timeline({
  id,
  hold = null,
  expired_at = null,
  acts,
}: {
  id: string
  hold?: Payment['hold']
  /** When the time of a session was over. No line of the journal says so. */
  expired_at?: string | null
  acts?: ReactNode
}) {
  const [is_whole, setWhole] = useState(false)
  const answer = useLife(id)
  return (
    <Section
      title={say('timeline')}
      label={say('timeline')}
      acts={
        <>
          {acts}
          <Toggle label={say('all_steps')} is_on={is_whole} onChange={setWhole} />
        </>
      }
    >
      <Loaded answer={answer} rows={8}>
        {(life) => (
          <>
            <ol className="timeline">
              {entriesOf(life, [...ahead(hold), ...end(expired_at)])
                .filter((entry) => is_whole || !isStep(entry, life))
                .map((entry) => (
                  <Line key={entry.key} entry={entry} life={life} />
                ))}
            </ol>
            {!life.are_refusals_whole && <p className="hint">{say('refusals_not_whole')}</p>}
            <p className="hint">{sealWords(life.seals)}</p>
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** What the rules do to a hold that nobody decides. */
function ahead(hold: Payment['hold']): Entry[] {
  if (!hold || hold.decided_at) return []
  const shared = { who: 'rules', request_id: null, detail: {} }
  return [{ key: 'deadline', at: hold.deadline, kind: 'ahead', what: 'deadline', ...shared }]
}

function end(expired_at: string | null): Entry[] {
  if (expired_at === null) return []
  return [{ key: 'expired', at: expired_at, kind: 'end', what: 'expired', who: null, request_id: null, detail: {} }]
}

function Line({ entry, life }: { entry: Entry; life: Life }) {
  const { kind, what, who, at, detail, request_id } = entry
  const { title, notes } = sentenceOf(entry, life)
  // Whoever settled it by hand, not whoever began it.
  const is_by_hand = handWords(detail).length > 0
  const actor = is_by_hand ? who : actorOf(entry, life)
  const facts = Object.entries({ change: what, ...detail, actor: who, request_id }).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return (
    <li className={`${kind} ${toneOf(entry)}${isStep(entry, life) ? ' step' : ''}`}>
      <div className="timeline-head">
        <span className="timeline-what">{title}</span>
        <Moment at={at} is_exact />
      </div>
      <p className="hint notes">
        {notes.map((note) => (
          <span key={note}>
            <bdi>{note}</bdi>
          </span>
        ))}
        {actor && <span>{(!is_by_hand && rulesIn(entry, life)) || <Actor actor={actor} people={life.people} />}</span>}
      </p>
      <details>
        <summary>{say('details')}</summary>
        <dl className="raw">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}

function toneOf({ kind, what, detail }: Entry): string {
  if (kind === 'refusal' || (kind === 'end' && detail.decline_code)) return 'bad'
  if (foundNothing({ what, detail })) return ''
  const text = `${what} ${detail.three_ds_state ?? ''}`
  if (/declined|failed|dead_lettered|refused|rejected/.test(text)) return 'bad'
  if (/held|unknown|escalated|unanswered|awaiting|retrying|paused/.test(text)) return 'wait'
  return /captured|succeeded|authenticated/.test(text) ? 'good' : ''
}

function sealWords({ wrong, not_yet }: Record<'right' | 'wrong' | 'not_yet', number>): string {
  if (wrong > 0) return sayCount('seals_wrong', 'seals_wrong', wrong)
  if (not_yet > 0) return sayCount('seals_not_yet_1', 'seals_not_yet', not_yet)
  return say('seals_right')
}
