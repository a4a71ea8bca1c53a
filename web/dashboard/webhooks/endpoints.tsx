// The endpoints with their health, and a way to remove one.

import { useState } from 'react'
import type { Endpoint } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Menu } from '../parts/menu.tsx'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCount } from '../words.ts'
import { answerWords } from './failure.ts'
import { ReplayGivenUp } from './replay-given-up.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { SendNow } from './send-again.tsx'
import { SendTest } from './send-test.tsx'

export function Endpoints({ endpoints, can_manage }: { endpoints: Endpoint[]; can_manage: boolean }) {
  const [chosen, setChosen] = useState<{ act: Act; endpoint: Endpoint } | null>(null)
  const onClose = () => setChosen(null)
  if (endpoints.length === 0) {
    return (
      <Empty title={say('no_endpoints')}>
        <p>{say('no_endpoints_words')}</p>
      </Empty>
    )
  }
  return (
    <>
      <Table
        label={say('endpoints')}
        rows={endpoints}
        keyOf={({ id }) => id}
        columns={[
          {
            name: say('endpoint_url'),
            kind: 'first',
            cell: ({ url, mode, event_format }) => (
              <>
                <span className="breakable">{url}</span>
                {event_format === 'stripe' && <span className="hint"> Stripe</span>}
                {mode && <span className="hint"> {say(`key_mode_${mode}_only`)}</span>}
              </>
            ),
          },
          { name: say('column_status'), cell: (endpoint) => <Health endpoint={endpoint} /> },
          {
            name: say('column_events'),
            cell: eventWords,
          },
          {
            name: say('created'),
            kind: 'named',
            cell: ({ created_at }) => <Moment at={created_at} />,
          },
          {
            name: say('column_acts'),
            kind: 'acts',
            cell: (endpoint) => (
              <EndpointActs {...{ endpoint, can_manage }} onAct={(act) => setChosen({ act, endpoint })} />
            ),
          },
        ]}
      />
      {chosen?.act === 'test' && <SendTest endpoint={chosen.endpoint} onClose={onClose} />}
      {chosen?.act === 'rotate' && <RotateSecret endpoint={chosen.endpoint} onClose={onClose} />}
      {chosen?.act === 'replay' && <ReplayGivenUp endpoint={chosen.endpoint} onClose={onClose} />}
      {chosen?.act === 'remove' && <RemoveEndpoint endpoint={chosen.endpoint} onClose={onClose} />}
    </>
  )
}

/** No filter stands for all events of payments; the others have to be named. */
function eventWords({ event_filter, event_format, extension_events = [] }: Endpoint): string {
  const all = say(event_format === 'stripe' ? 'all_events' : 'all_of_payments')
  const payments = event_filter.length === 0 ? [all] : event_filter
  return [...payments, ...extension_events].join(', ')
}

type Act = 'test' | 'rotate' | 'replay' | 'remove'

function EndpointActs({
  endpoint,
  can_manage,
  onAct,
}: {
  endpoint: Endpoint
  can_manage: boolean
  onAct: (act: Act) => void
}) {
  const { may, membership } = useHere()
  const can_rotate = can_manage && (endpoint.mode === 'test' || membership.permissions.live.includes('read_shoppers'))
  const acts: { id: Act; text: string; is_allowed: boolean }[] = [
    { id: 'test', text: say('send_test_event'), is_allowed: can_manage },
    { id: 'replay', text: say('replay_given_up'), is_allowed: may('replay_deliveries') },
    { id: 'rotate', text: say('rotate_secret'), is_allowed: can_rotate },
  ]
  const { breaker, next_delivery_id = null } = endpoint.standing ?? {}
  return (
    <>
      {breaker?.open_until && next_delivery_id && may('replay_deliveries') && (
        <SendNow delivery_id={next_delivery_id} tries_endpoint />
      )}
      <Menu
        size="small"
        acts={acts.filter(({ is_allowed }) => is_allowed).map(({ id, text }) => ({ id, text, act: () => onAct(id) }))}
      >
        {say('more')}
      </Menu>
      {can_manage && (
        <Button size="small" onClick={() => onAct('remove')}>
          {say('remove')}
        </Button>
      )}
    </>
  )
}

function Health({ endpoint: { status, standing, given_up } }: { endpoint: Endpoint }) {
  const paused = standing?.breaker?.open_until ? standing.breaker : null
  const waiting = (standing?.first_attempts ?? 0) + (standing?.retries ?? 0)
  const state = paused ? 'paused' : (standing?.retries ?? 0) > 0 ? 'failing' : status
  const hints = [
    ...(given_up > 0 ? [sayCount('waits_dead_lettered_1', 'waits_dead_lettered', given_up)] : []),
    ...(waiting > 0 ? [sayCount('waiting_count', 'waiting_count', waiting)] : []),
  ]
  return (
    <>
      <Status status={state} />
      {hints.length > 0 && <span className="hint"> {hints.join(' · ')}</span>}
      {paused && <Pause open_until={paused.open_until!} standing={standing!} />}
    </>
  )
}

type Standing = NonNullable<Endpoint['standing']>

/** Why an endpoint is paused, and when the service tries it again by itself. */
function Pause({
  open_until,
  standing: { last_attempt, oldest_at },
}: {
  open_until: string
  standing: Pick<Standing, 'last_attempt' | 'oldest_at'>
}) {
  return (
    <span className="pause hint">
      <span>{say('paused_words')}</span>
      {last_attempt && (
        <span>
          {say('last_try')} <Moment at={last_attempt.occurred_at} />: {answerWords(last_attempt)}
        </span>
      )}
      <span>
        {say('next_attempt')} <Moment at={open_until} is_ahead />
      </span>
      {oldest_at && (
        <span>
          {say('oldest_waits')} <Moment at={oldest_at} is_exact />
        </span>
      )}
    </span>
  )
}

function RemoveEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('DELETE /{merchant_id}/webhooks/endpoints/{endpoint_id}', [
    'GET /{merchant_id}/webhooks/endpoints',
  ])
  const remove = () => act.mutate({ merchant_id, endpoint_id: endpoint.id }, { onSuccess: onClose })
  return (
    <Dialog title={say('remove_endpoint')} onClose={onClose}>
      <p>{say('remove_endpoint_words', { url: endpoint.url })}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button look="danger" is_busy={act.isPending} onClick={remove}>
          {say('remove_endpoint')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
