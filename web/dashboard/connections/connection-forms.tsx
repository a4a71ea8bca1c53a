// The forms that take credentials. What is typed leaves the page once and is never shown again.

import { type FormEvent, type ReactNode, useState } from 'react'
import type { Connection, Connector, StoredConnection } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import type { Refused } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { Alert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Choice, Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say, sayCode } from '../words.ts'
import { NoticeHint } from './notice-hint.tsx'

export function CreateConnection({ connectors, onClose }: { connectors: Connector[]; onClose: () => void }) {
  const { merchant_id, mode } = useHere()
  const [name, setName] = useState(connectors[0]?.connector ?? '')
  const act = useAct('POST /{merchant_id}/connections', ['GET /{merchant_id}/connections'])
  const connector = connectors.find((each) => each.connector === name)
  if (act.data) return <Made connection={act.data} onClose={onClose} />
  return (
    <CredentialsForm
      title={say('create_connection')}
      connector={connector}
      refused={act.error}
      is_busy={act.isPending}
      onClose={onClose}
      onSend={(credentials, { label = '' }) =>
        act.mutate({
          merchant_id,
          body: { connector: name, label: label.trim(), credentials, mode: mode === 'live' ? 'live' : 'sandbox' },
        })
      }
    >
      <Choice
        label={say('connector')}
        member="connector"
        value={name}
        onChange={({ target }) => setName(target.value)}
        options={connectors.map(({ connector, kind }) => ({
          value: connector,
          text: `${connector} · ${sayCode('kind', kind)}`,
        }))}
      />
      <Field
        label={say('connection_label')}
        hint={say('connection_label_hint')}
        name="label"
        autoComplete="off"
        required
      />
    </CredentialsForm>
  )
}

export function RotateCredentials({
  connection,
  connector,
  onClose,
}: {
  connection: Connection
  connector: Connector
  onClose: () => void
}) {
  const { merchant_id } = useHere()
  const { connection_id } = connection
  const act = useAct('POST /{merchant_id}/connections/{connection_id}/credentials', ['GET /{merchant_id}/connections'])
  if (act.data) return <Made connection={act.data} onClose={onClose} />
  return (
    <CredentialsForm
      title={say('rotate_credentials')}
      connector={connector}
      refused={act.error}
      is_busy={act.isPending}
      onClose={onClose}
      onSend={(credentials) => act.mutate({ merchant_id, connection_id, body: { credentials } })}
    >
      <p>{say('rotate_credentials_words')}</p>
    </CredentialsForm>
  )
}

function Made({ connection, onClose }: { connection: StoredConnection; onClose: () => void }) {
  const { label, notice_url, doubt } = connection
  return (
    <Dialog title={label} onClose={onClose}>
      <p>{say('credentials_sealed')}</p>
      {doubt && <Alert>{say('credentials_doubtful')}</Alert>}
      {notice_url && (
        <>
          <p>
            {say('notice_url')}: <Copyable text={notice_url} label={say('notice_url')} />
          </p>
          <NoticeHint url={notice_url} />
        </>
      )}
      <DialogActs>
        <Button look="primary" onClick={onClose}>
          {say('close')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}

/** `onSend` gets the credentials without what was left empty, and all that was typed. */
function CredentialsForm({
  title,
  connector,
  refused,
  is_busy,
  onClose,
  onSend,
  children,
}: {
  title: string
  connector: Connector | undefined
  refused: Refused | null
  is_busy: boolean
  onClose: () => void
  onSend: (credentials: Record<string, string>, typed: Record<string, string>) => void
  children: ReactNode
}) {
  const { required = [], optional = [] } = connector ?? {}
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (is_busy) return
    const typed = textsOf(event.currentTarget)
    const named = [...required, ...optional].flatMap((member): [string, string][] => {
      const text = (typed[`credential ${member}`] ?? '').trim()
      return text === '' ? [] : [[member, text]]
    })
    onSend(Object.fromEntries(named), typed)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form refused={refused} onSubmit={submit} autoComplete="off">
        {children}
        {required.map((member) => (
          <Credential key={`${connector?.connector} ${member}`} member={member} required />
        ))}
        {optional.length > 0 && (
          <details>
            <summary>{say('optional_credentials')}</summary>
            <div className="form">
              {optional.map((member) => (
                <Credential key={`${connector?.connector} ${member}`} member={member} />
              ))}
            </div>
          </details>
        )}
        <p className="hint">{say('credentials_hint')}</p>
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={is_busy}>
            {title}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}

/** Named as the vendor names it, so that people find it there. */
function Credential({ member, required }: { member: string; required?: boolean }) {
  const is_secret = /key|secret|password/.test(member)
  return (
    <Field
      label={member}
      name={`credential ${member}`}
      member={`credentials.${member}`}
      type={is_secret ? 'password' : 'text'}
      autoComplete={is_secret ? 'new-password' : 'off'}
      spellCheck={false}
      required={required}
    />
  )
}
