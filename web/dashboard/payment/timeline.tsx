// What happened to a payment, who did it, and what is still to come.

import type { Payment } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { changeWords } from '../parts/change.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { say, sayCode, sayCount } from '../words.ts'
import { type Entry, entriesOf } from './timeline-entries.ts'

export function Timeline({ payment }: { payment: Payment }) {
  const { merchant_id } = useHere()
  const answer = useAnswer('GET /{merchant_id}/payments/{payment_id}/timeline', {
    merchant_id,
    payment_id: payment.id,
  })
  return (
    <Section title={say('timeline')} label={say('timeline')}>
      <Loaded answer={answer} rows={8}>
        {(found) => (
          <>
            <ol className="timeline">
              {[...entriesOf(found), ...ahead(payment)].map((entry) => (
                <Line key={entry.key} entry={entry} people={found.people} />
              ))}
            </ol>
            <p className="hint">{sealWords(found.seals)}</p>
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** What the rules do to a hold that nobody decides. */
function ahead({ hold }: Payment): Entry[] {
  if (!hold || hold.decided_at) return []
  const shared = { who: 'rules', request_id: null, detail: {} }
  return [{ key: 'deadline', at: hold.deadline, kind: 'ahead', what: 'deadline', ...shared }]
}

function Line({ entry, people }: { entry: Entry; people: Record<string, string> }) {
  const { kind, what, who, at, detail, request_id } = entry
  const short = shortOf(entry)
  const facts = Object.entries({ ...detail, request_id }).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return (
    <li className={`${kind} ${toneOf(entry)}`}>
      <div className="timeline-head">
        <span className="timeline-what" title={what}>
          {titleOf(kind, what)}
        </span>
        <Moment at={at} is_exact />
      </div>
      <div className="hint">
        {who && <Actor actor={who} people={people} />}
        {who && short && ' · '}
        {short}
      </div>
      {facts.length > 0 && (
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
      )}
    </li>
  )
}

function titleOf(kind: Entry['kind'], what: string): string {
  if (kind === 'event') return say('event_made', { type: what })
  if (kind === 'delivery') return sayCode('delivered', what)
  return kind === 'ahead' ? sayCode('ahead', what) : changeWords(what)
}

function shortOf({ kind, detail }: Entry): string | null {
  if (kind !== 'delivery') return null
  const { endpoint_url, response_status_code, failure } = detail
  return [endpoint_url, response_status_code ?? failure].filter(Boolean).join(', ')
}

function toneOf({ what }: Entry): string {
  if (/captured|succeeded/.test(what)) return 'good'
  if (/declined|failed|dead_lettered|refused/.test(what)) return 'bad'
  if (/held|unknown|escalated/.test(what)) return 'wait'
  return ''
}

function sealWords({
  right,
  wrong,
  not_yet,
}: Record<'right' | 'wrong' | 'not_yet', number>): string {
  if (wrong > 0) return sayCount('seals_wrong', 'seals_wrong', wrong)
  if (not_yet > 0) return sayCount('seals_not_yet_1', 'seals_not_yet', not_yet)
  return sayCount('seals_right_1', 'seals_right', right)
}
