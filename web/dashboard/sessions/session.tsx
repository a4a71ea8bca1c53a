// One session: how far the shopper came, whether or not there is a payment, and what happened.

import type { ReactNode } from 'react'
import { Link, Redirect } from 'wouter'
import type { Session as SessionRead } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { Items } from '../payment/payment-facts.tsx'
import { toldWords } from '../payment/story.ts'
import { Timeline, useLife } from '../payment/timeline.tsx'
import { say, sayCode } from '../words.ts'
import { keptWords } from './kept-words.ts'
import { sessionStateOf } from './state.ts'

export function Session({ session_id }: { session_id: string }) {
  const here = useHere()
  const { merchant_id, mode, pathOf } = here
  const answer = useAnswer('GET /{merchant_id}/sessions/{session_id}', { merchant_id, session_id })
  const session = answer.data
  if (session && session.mode !== mode) {
    return <Redirect replace to={`/${merchant_id}/${session.mode}/sessions/${session_id}`} />
  }
  if (session) return <Whole session={session} />
  return (
    <Screen title={say('session')}>
      {answer.error?.code === 'resource_not_found' ? (
        <Empty title={say('no_such_session')}>
          <p>{keptWords(here)}</p>
          <Link href={pathOf('sessions')}>{say('nav_sessions')}</Link>
        </Empty>
      ) : (
        <Loaded answer={answer}>{() => null}</Loaded>
      )}
    </Screen>
  )
}

function Whole({ session }: { session: SessionRead }) {
  const { id, amount, currency, items, metadata } = session
  const shown = Object.entries(metadata)
  return (
    <Screen title={amountWords(amount, currency)} lead={<Lead session={session} />}>
      <Summary session={session} />
      <div className="two">
        <div>
          <Timeline id={id} expired_at={session.status === 'expired' ? session.expires_at : null} />
        </div>
        <div>
          <SessionFacts session={session} />
          {items && items.length > 0 && <Items items={items} currency={currency} />}
          {shown.length > 0 && (
            <Section title={say('metadata')} label={say('metadata')}>
              <Facts rows={shown.map(([name, value]) => [name, <bdi key={name}>{value}</bdi>])} />
            </Section>
          )}
        </div>
      </div>
    </Screen>
  )
}

function Lead({ session }: { session: SessionRead }) {
  const { id, status, last_decline, expires_at, payment_id } = session
  const { data: life } = useLife(id)
  const is_unpaid = payment_id === null && (status === 'requires_payment' || status === 'expired')
  // The newest.
  const refusal = is_unpaid ? life?.refusals[0] : undefined
  return (
    <>
      <span>{say('session')}</span>
      <Status status={sessionStateOf(session)} />
      {last_decline && <span>{sayCode('decline', last_decline.code)}.</span>}
      {refusal && <span>{say('session_refused', { reason: toldWords(refusal.code ?? '') })}.</span>}
      {status === 'requires_payment' && (
        <span>
          {say('session_ends')} <Moment at={expires_at} is_exact />
        </span>
      )}
      {payment_id === null && status !== 'processing' && <span>{say('state_nothing_taken')}</span>}
      {is_unpaid && status === 'expired' && <span className="advice">{say('advice_session')}</span>}
      {refusal && status !== 'expired' && <span className="advice">{say('advice_session_open')}</span>}
    </>
  )
}

function Summary({ session }: { session: SessionRead }) {
  const { created_at, customer, order_reference, attempt_count } = session
  const rows: [string, ReactNode][] = [
    [say('created'), <Moment key="created" at={created_at} is_exact />],
    [say('column_email'), customer?.email],
    [say('column_order'), order_reference && <bdi>{order_reference}</bdi>],
    [say('column_attempts'), String(attempt_count)],
  ]
  return (
    <dl className="summary">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

function SessionFacts({ session }: { session: SessionRead }) {
  const here = useHere()
  const { id, customer, amount_verification_source, payment_id } = session
  return (
    <Section title={say('facts')}>
      <Facts
        rows={[
          [say('session'), <Copyable key="id" text={id} label={say('session_id')} />],
          [say('nav_payments'), <Payments key="payments" session_id={id} />],
          [say('name'), customer?.name && <Name text={customer.name} />],
          [say('amount_check'), sayCode('amount_source', amount_verification_source)],
        ]}
      />
      {payment_id === null && <p className="hint">{keptWords(here)}</p>}
    </Section>
  )
}

/** Those of its cards that were charged or declined. */
function Payments({ session_id }: { session_id: string }) {
  const { pathOf } = useHere()
  const { data: life } = useLife(session_id)
  if (!life || life.payments.length === 0) return '–'
  return (
    <>
      {life.payments.map(({ payment_id, status, amount, currency }) => (
        <div key={payment_id}>
          <Link href={pathOf(`payments/${payment_id}`)}>{amountWords(amount, currency)}</Link>{' '}
          <Status status={status} />
        </div>
      ))}
    </>
  )
}
