// The merchant's accounts at acquirers and 3-D Secure providers, those of the mode that is shown.

import { useState } from 'react'
import type { Connection, Connector } from '../client/answers.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayCode } from '../words.ts'
import { CheckConnection } from './check-connection.tsx'
import { CreateConnection, RotateCredentials } from './connection-forms.tsx'
import { NoticeHint } from './notice-hint.tsx'

export function Connections() {
  const { merchant_id, mode, may } = useHere()
  const [is_creating, setCreating] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/connections', { merchant_id, query: { mode } })
  const can_manage = may('manage_connections')
  return (
    <Screen
      title={say('nav_connections')}
      lead={say(mode === 'live' ? 'connections_lead_live' : 'connections_lead_test')}
      acts={
        can_manage && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {say('create_connection')}
          </Button>
        )
      }
    >
      <Loaded answer={answer} rows={4}>
        {({ connections, connectors }) => (
          <>
            {connections.length === 0 && (
              <Empty title={say('no_connections')}>
                <p>{say('no_connections_words')}</p>
              </Empty>
            )}
            {connections.map((each) => (
              <One key={each.connection_id} connection={each} connectors={connectors} />
            ))}
            {is_creating && <CreateConnection connectors={connectors} onClose={() => setCreating(false)} />}
          </>
        )}
      </Loaded>
    </Screen>
  )
}

type Act = 'rotate' | 'disable'

function One({ connection, connectors }: { connection: Connection; connectors: Connector[] }) {
  const [chosen, setChosen] = useState<Act | null>(null)
  const connector = connectors.find((each) => each.connector === connection.connector)
  const { label, state, notice_url, rotated_at, disabled_at } = connection
  const onClose = () => setChosen(null)
  return (
    <Section
      title={label}
      label={label}
      row_id={connection.connection_id}
      acts={
        <>
          <CheckConnection connection={connection} />
          {connector && (
            <Button size="small" onClick={() => setChosen('rotate')}>
              {say('rotate_credentials')}
            </Button>
          )}
          {state === 'active' && (
            <Button size="small" onClick={() => setChosen('disable')}>
              {say('disable')}
            </Button>
          )}
        </>
      }
    >
      <Facts
        rows={[
          [say('column_status'), <ConnectionStatus key="state" state={state} />],
          [say('connector'), `${connection.connector} · ${sayCode('kind', connection.kind)}`],
          [say('connection_id'), connection.connection_id],
          [
            say('notice_url'),
            notice_url && (
              <>
                <Copyable text={notice_url} label={say('notice_url')} />
                {state === 'active' && <NoticeHint url={notice_url} />}
              </>
            ),
          ],
          [say('created'), <Moment key="created" at={connection.created_at} />],
          [say('credentials_rotated'), rotated_at && <Moment at={rotated_at} />],
          [say('disabled'), disabled_at && <Moment at={disabled_at} />],
        ]}
      />
      {chosen === 'rotate' && connector && (
        <RotateCredentials connection={connection} connector={connector} onClose={onClose} />
      )}
      {chosen === 'disable' && <DisableConnection connection={connection} onClose={onClose} />}
    </Section>
  )
}

function ConnectionStatus({ state }: { state: Connection['state'] }) {
  return <Status status={state} text={state === 'disabled' ? say('disabled') : undefined} />
}

function DisableConnection({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { merchant_id } = useHere()
  const { connection_id, label } = connection
  const act = useAct('POST /{merchant_id}/connections/{connection_id}/disable', ['GET /{merchant_id}/connections'])
  const disable = () => act.mutate({ merchant_id, connection_id, body: {} }, { onSuccess: onClose })
  return (
    <Dialog title={say('disable_connection')} onClose={onClose}>
      <p>{say('disable_connection_words', { label })}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button look="danger" is_busy={act.isPending} onClick={disable}>
          {say('disable_connection')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
