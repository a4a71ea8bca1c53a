// Attempts to deliver events, the newest first. Those that were given up can be replayed, and those that wait sent now.

import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Delivery } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { SavedFilters } from '../filters/saved-filters.tsx'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { exactWords, Moment } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { StatusChips } from '../parts/status-chips.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'
import { AnswerBody } from './answer-body.tsx'
import { answerWords } from './failure.ts'
import { givesUpAt } from './gives-up-at.ts'
import { Replay, SendNow } from './send-again.tsx'
import { SentBody } from './sent-body.tsx'

/** Each event of an endpoint is under one of the first three. The last has single attempts, whatever became of the delivery. */
const choices = ['succeeded', 'waiting', 'given_up', 'failed'] as const
type Choice = (typeof choices)[number]
/** One request looks at a part of the attempts only. */
const looks_max = 8

export function Deliveries({ delays_seconds }: { delays_seconds: number[] }) {
  const { merchant_id, pathOf } = useHere()
  const [, navigate] = useLocation()
  const show = new URLSearchParams(useSearch()).get('show')
  const chosen = choices.find((each) => each === show) ?? null
  const [shown, setShown] = useState<Delivery | null>(null)
  const query = { limit: 20, ...queryOf(chosen) }
  const sent = { merchant_id, query }
  const pages = usePages('GET /{merchant_id}/webhooks/deliveries', sent, { every_ms: 5_000, looks_max })
  return (
    <Section title={say('deliveries')} acts={<SavedFilters list="deliveries" screen="webhooks" />}>
      <StatusChips
        statuses={choices}
        chosen={chosen}
        onChoose={(each) => navigate(pathOf(each ? `webhooks?show=${each}` : 'webhooks'))}
        wordsOf={wordsOf}
      />
      <Loaded answer={pages.answer}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty title={say(pages.has_more ? 'none_so_far' : 'no_deliveries')} />
          ) : (
            <DeliveryTable deliveries={deliveries} are_whole={chosen === 'waiting'} onShow={setShown} />
          )
        }
      </Loaded>
      <Older pages={pages} />
      {shown && (
        <DeliveryDialog
          delivery={shown}
          gives_up_at={givesUpAt(shown, delays_seconds, new Date())}
          onClose={() => setShown(null)}
        />
      )}
    </Section>
  )
}

function queryOf(chosen: Choice | null) {
  return chosen === 'waiting' || chosen === 'given_up' ? { standing: chosen } : { status: chosen }
}

function wordsOf(choice: Choice): string {
  if (choice === 'failed') return say('failed_attempts')
  return sayCode('status', choice === 'given_up' ? 'dead_lettered' : choice)
}

function DeliveryTable({
  deliveries,
  are_whole,
  onShow,
}: {
  deliveries: Delivery[]
  /** Whether a row is of a delivery, and not of one of its attempts. */
  are_whole: boolean
  onShow: (delivery: Delivery) => void
}) {
  const { may } = useHere()
  const can_replay = may('manage_webhooks') || may('replay_deliveries')
  return (
    <Table
      label={say('deliveries')}
      rows={deliveries}
      keyOf={({ delivery_id, attempt_number }) => `${delivery_id} ${attempt_number}`}
      columns={[
        {
          name: say('column_event'),
          kind: 'first',
          cell: ({ event_type }) => event_type.replace(/^webhook\./, ''),
        },
        {
          name: say('column_status'),
          cell: (delivery) => (
            <>
              <Status status={are_whole ? 'waiting' : statusOf(delivery)} />
              {delivery.replay && <span className="hint"> {replayWords(delivery.replay)}</span>}
              {delivery.succeeded_later && <span className="hint"> {say('succeeded_later')}</span>}
              {delivery.waiting && (
                <span className="hint">
                  {' '}
                  <NextAttempt waiting={delivery.waiting} is_first={delivery.attempt_number === 0} />
                </span>
              )}
            </>
          ),
        },
        { name: say('column_payment'), cell: ({ about }) => about && <About about={about} /> },
        {
          name: say('column_answer'),
          cell: (delivery) => (delivery.attempt_number === 0 ? <span className="nothing">–</span> : answerOf(delivery)),
        },
        {
          name: say('endpoint_url'),
          cell: ({ endpoint_url }) => <span className="breakable">{endpoint_url ?? '–'}</span>,
        },
        {
          name: say('column_time'),
          kind: 'second',
          cell: ({ occurred_at }) => <Moment at={occurred_at} />,
        },
        {
          name: say('column_acts'),
          kind: 'acts',
          cell: (delivery) => (
            <>
              {can_replay && canReplay(delivery) && <Replay delivery_id={delivery.delivery_id} />}
              {can_replay && delivery.waiting?.next_attempt_at && (
                <SendNow delivery_id={delivery.delivery_id} tries_endpoint={delivery.waiting.held_until !== null} />
              )}
              <Button size="small" look="plain" onClick={() => onShow(delivery)}>
                {say('details')}
              </Button>
            </>
          ),
        },
      ]}
    />
  )
}

/** `pending` is what has had no attempt yet: a replay, or a delivery that is listed among those that wait alone. */
function statusOf({ status, replay }: Delivery): string {
  if (replay?.status === 'succeeded') return 'replayed'
  return status === 'pending' ? 'waiting' : status
}

/** When a delivery is sent next. The page of a payment says it, too. */
export function NextAttempt({
  waiting: { next_attempt_at, held_until },
  is_first,
}: {
  waiting: NonNullable<Delivery['waiting']>
  is_first: boolean
}) {
  if (next_attempt_at === null) return say('being_sent')
  return (
    <>
      {is_first && `${say('not_tried_yet')} · `}
      {held_until !== null && `${say('endpoint_paused')} · `}
      {say('next_attempt')} <Moment at={next_attempt_at} is_ahead />
    </>
  )
}

/** One whose event has arrived by a replay may be replayed by the API, but nobody needs it. */
function canReplay({ replayable, replay }: Delivery): boolean {
  return replayable && replay?.status !== 'succeeded'
}

function replayWords({ status, response_status_code: code }: NonNullable<Delivery['replay']>): string {
  if (status === 'pending') return say('replay_under_way')
  return code === null ? '' : String(code)
}

function About({ about }: { about: NonNullable<Delivery['about']> }) {
  const { pathOf } = useHere()
  const { payment_id, order_reference, amount, currency } = about
  return (
    <>
      <Link href={pathOf(`payments/${payment_id}`)}>{order_reference ?? say('payment')}</Link>{' '}
      <Amount amount={amount} currency={currency} />
    </>
  )
}

function answerOf(delivery: Delivery): string {
  const { attempt_number } = delivery
  const code = answerWords(delivery)
  return attempt_number > 1 ? `${code} · ${say('attempt_number', { count: attempt_number })}` : code
}

function DeliveryDialog({
  delivery,
  gives_up_at,
  onClose,
}: {
  delivery: Delivery
  gives_up_at: Date | null
  onClose: () => void
}) {
  const { may } = useHere()
  const { attempt_number } = delivery
  return (
    <Dialog title={delivery.event_type.replace(/^webhook\./, '')} onClose={onClose}>
      <Facts
        rows={[
          [say('column_status'), <Status key="status" status={statusOf(delivery)} />],
          [say('column_time'), <Moment key="time" at={delivery.occurred_at} is_exact />],
          [say('endpoint_url'), delivery.endpoint_url],
          [say('column_payment'), delivery.about && <About key="about" about={delivery.about} />],
          [say('column_event'), delivery.event_id],
          [say('delivery_id'), delivery.delivery_id],
          [say('column_answer'), attempt_number > 0 && answerOf(delivery)],
          [
            say('next_attempt'),
            delivery.waiting && <NextAttempt key="next" waiting={delivery.waiting} is_first={attempt_number === 0} />,
          ],
        ]}
      />
      {(delivery.status === 'succeeded' || delivery.succeeded_later) && <p>{say('delivered_once')}</p>}
      {gives_up_at && <p>{say('replay_later', { when: exactWords(gives_up_at) })}</p>}
      {delivery.waiting?.next_attempt_at && may('replay_deliveries') && <p>{say('send_now_counts')}</p>}
      <AnswerBody text={delivery.response_body} />
      <SentBody delivery_id={delivery.delivery_id} />
    </Dialog>
  )
}
