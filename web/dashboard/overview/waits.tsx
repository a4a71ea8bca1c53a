// What waits for somebody, a line each, only while it waits.

import { Link } from 'wouter'
import type { Me, Overview } from '../client/answers.ts'
import { opens, type ScreenName } from '../frame/screen-names.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { beginOf, dayOf } from '../parts/days.ts'
import { differenceWords } from '../parts/difference.ts'
import { Icon } from '../parts/icon.tsx'
import { deadlineWords, relativeWords } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { say, sayCount, type WordKey } from '../words.ts'

export function Waits({ waits }: { waits: Overview['waits'] }) {
  const here = useHere()
  const { me, pathOf } = here
  // What leads to a screen of other roles is not for this person to do.
  const lines = linesOf(waits, me.user).filter(({ screen }) => opens(here, screen))
  return (
    <Section title={say('what_waits')} label={say('what_waits')}>
      {lines.length === 0 ? (
        <p className="all-well">
          <Icon name="done" /> {say('nothing_waits')}
        </p>
      ) : (
        <ul className="waits">
          {lines.map(({ words, screen, path = screen }) => (
            <li key={words}>
              <Link href={pathOf(path)}>
                {words}
                <Icon name="forward" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** `path` is the place on the screen, where that is not its beginning. */
type Line = { words: string; screen: ScreenName; path?: string }

function linesOf(waits: Overview['waits'], { is_operator }: Me['user']): Line[] {
  const { holds, keys_ending } = waits
  // Only operators can decide about orphans and the brake; others see there that it is pulled.
  const decided_at: ScreenName = is_operator ? 'system' : 'operations'
  const counted = (count: number, one: WordKey, many: WordKey, screen: ScreenName): Line[] =>
    count > 0 ? [{ words: sayCount(one, many, count), screen }] : []
  return [
    ...(waits.is_brake_pulled ? [{ words: say('brake_pulled'), screen: decided_at }] : []),
    ...(['capture', 'review'] as const).flatMap((kind): Line[] => {
      const waiting = kind === 'capture' ? waits.to_capture : holds
      const path = `holds?waits_for=${kind}`
      return waiting.count > 0 ? [{ words: holdWords(waiting, kind), screen: 'holds', path }] : []
    }),
    ...(waits.disputes > 0
      ? [
          {
            words: sayCount('waits_disputes', 'waits_disputes', waits.disputes, {
              when: waits.disputes_until ? deadlineWords(new Date(waits.disputes_until), Date.now()) : '–',
            }),
            screen: 'disputes' as const,
          },
        ]
      : []),
    ...counted(waits.failed_refunds, 'waits_refunds_1', 'waits_refunds', 'refunds').map((line) => ({
      ...line,
      path: `refunds?${failedFrom(waits)}`,
    })),
    ...waits.paid_twice.map(({ order_reference, count }) => ({
      words: sayCount('waits_paid_twice', 'waits_paid_twice', count, { order: order_reference }),
      screen: 'payments' as const,
      path: `payments?${new URLSearchParams({ order_reference, status: 'captured' })}`,
    })),
    ...waits.differing.map(({ payment_id, order_reference, amount, currency, ...difference }) => ({
      words: say('waits_differing', {
        payment: [amountWords(amount, currency), order_reference].filter(Boolean).join(' · '),
        what: differenceWords(difference),
      }),
      screen: 'payments' as const,
      path: `payments/${payment_id}`,
    })),
    ...counted(waits.outcomes_for_person, 'waits_outcome_1', 'waits_outcome', 'operations'),
    ...counted(waits.unknown_outcomes - waits.outcomes_for_person, 'waits_unknown_1', 'waits_unknown', 'operations'),
    ...counted(waits.orphans_held_back, 'waits_orphans_1', 'waits_orphans', decided_at),
    ...counted(waits.breakers_open, 'waits_breakers_1', 'waits_breakers', 'webhooks'),
    ...counted(waits.given_up, 'waits_dead_lettered_1', 'waits_dead_lettered', 'webhooks').map((line) => ({
      ...line,
      path: 'webhooks?show=given_up',
    })),
    ...keys_ending.map(({ name, key_id, expires_at }) => ({
      words: say('waits_key', {
        name: name ?? key_id,
        when: relativeWords(new Date(expires_at), Date.now()),
      }),
      screen: 'keys' as const,
    })),
  ]
}

/** Failed refunds since the day the oldest that waits was begun. */
function failedFrom({ failed_refunds_from }: Overview['waits']): URLSearchParams {
  const created_from = failed_refunds_from && beginOf(dayOf(failed_refunds_from))
  return new URLSearchParams({ status: 'failed', ...(created_from && { created_from }) })
}

function holdWords(
  { count, lapsing, sums, next_deadline }: Overview['waits']['holds'],
  kind: 'capture' | 'review',
): string {
  const key = kind === 'capture' ? 'waits_to_capture' : 'waits_holds'
  const words = sayCount(key, key, count, {
    sum: sums.map(({ amount, currency }) => amountWords(amount, currency)).join(', '),
    when: next_deadline ? deadlineWords(new Date(next_deadline), Date.now()) : '',
  })
  return lapsing > 0 ? `${words} · ${say('waits_lapsing', { count: lapsing })}` : words
}
