// Secret keys: which there are, when each was used last, and ways to make and revoke one.

import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { addressOf as auditAddress } from '../audit/search.ts'
import type { Key } from '../client/answers.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { opens } from '../frame/screen-names.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Field } from '../parts/field.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Screen } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { useStore } from '../store.ts'
import { say, sayCode } from '../words.ts'
import { CreateKey } from './create-key.tsx'
import { keySecret } from './key-secret.ts'

export function Keys() {
  const { merchant_id, may } = useHere()
  const [is_creating, setCreating] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/keys', { merchant_id })
  return (
    <Screen
      title={say('nav_keys')}
      lead={say('keys_lead')}
      acts={
        may('manage_keys') && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {say('create_key')}
          </Button>
        )
      }
    >
      <Loaded answer={answer} rows={3}>
        {({ keys }) => <KeysFound keys={keys} />}
      </Loaded>
      {is_creating && <CreateKey onClose={() => setCreating(false)} />}
    </Screen>
  )
}

const secretShape = /^rip_sk_[0-9a-f]{48}$/

/** All keys, or the one of a secret. The secret does not leave the browser. */
function KeysFound({ keys }: { keys: Key[] }) {
  const [fingerprint, setFingerprint] = useState<string | null>(null)
  const typed = useRef('')
  const find = async (text: string) => {
    typed.current = text
    const digest = secretShape.test(text) ? await fingerprintOf(text) : null
    // Another text may have been typed in the meantime.
    if (typed.current === text) setFingerprint(digest)
  }
  const place = useRef<HTMLDivElement>(null)
  const secret = useStore(keySecret)
  useEffect(() => {
    const input = place.current?.querySelector('input')
    if (!input || secret === null) return
    // As a property: an attribute would stand in the page's text.
    input.value = secret
    void find(secret)
    keySecret.write(null)
  })
  if (keys.length === 0) return <Empty title={say('no_keys')} />
  const shown = keys.filter((key) => fingerprint === null || key.fingerprint === fingerprint)
  return (
    <>
      {/* Browsers hash on secure pages alone. */}
      {globalThis.isSecureContext && (
        <div ref={place}>
          <Field
            label={say('find_key')}
            hint={say('find_key_hint')}
            type="password"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => void find(event.target.value.trim())}
          />
        </div>
      )}
      {shown.length === 0 ? <Empty title={say('no_such_key')} /> : <KeyTable keys={shown} />}
    </>
  )
}

/** As the service makes it of what it keeps of the secret. */
async function fingerprintOf(secret: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return Array.from(new Uint8Array(hash, 0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function KeyTable({ keys }: { keys: Key[] }) {
  const { may } = useHere()
  const [revoked, setRevoked] = useState<Key | null>(null)
  return (
    <>
      <Table
        label={say('nav_keys')}
        rows={keys}
        keyOf={({ key_id, publishable_key }) => key_id ?? publishable_key ?? ''}
        otherIdOf={({ publishable_key }) => publishable_key}
        columns={[
          {
            name: say('name'),
            kind: 'first',
            cell: ({ name, key_id, fingerprint, publishable_key, maker_has_left, state }) => (
              <>
                {name ?? key_id ?? publishable_key}
                {fingerprint && (
                  <>
                    {' '}
                    <code className="hint" title={say('fingerprint')}>
                      {fingerprint}
                    </code>
                  </>
                )}
                {maker_has_left && state === 'usable' && <span className="hint"> {say('maker_has_left')}</span>}
              </>
            ),
          },
          { name: say('column_status'), cell: ({ state }) => <Status status={state} /> },
          {
            name: say('permissions'),
            kind: 'named',
            cell: ({ permissions }) => permissions.map((each) => sayCode('permission', each)).join(', '),
          },
          { name: say('mode'), kind: 'named', cell: ({ mode }) => sayCode('key_mode', mode) },
          {
            name: say('last_used'),
            kind: 'named',
            cell: (key) => <LastUsed of={key} />,
          },
          {
            name: say('created'),
            kind: 'named',
            cell: ({ created_at }) => <Moment at={created_at} />,
          },
          {
            name: say('column_acts'),
            kind: 'acts',
            cell: (key) =>
              may('manage_keys') && key.key_id && key.state === 'usable' ? (
                <Button size="small" onClick={() => setRevoked(key)}>
                  {say('revoke')}
                </Button>
              ) : null,
          },
        ]}
      />
      {revoked && <RevokeKey of={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

function LastUsed({ of: { key_id, last_used_at } }: { of: Key }) {
  const here = useHere()
  if (!last_used_at) return say('never')
  return (
    <>
      <Moment at={last_used_at} />{' '}
      {key_id && opens(here, 'audit') && (
        <Link href={here.pathOf(auditAddress({ actor: `key ${key_id}` }))}>{say('key_acts')}</Link>
      )}
    </>
  )
}

function RevokeKey({ of, onClose }: { of: Key; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/keys/{key_id}/revoke', ['GET /{merchant_id}/keys'])
  const revoke = () => act.mutate({ merchant_id, key_id: of.key_id!, body: {} }, { onSuccess: onClose })
  return (
    <Dialog title={say('revoke_title')} onClose={onClose}>
      <p>{say('revoke_words', { name: of.name ?? of.key_id ?? '' })}</p>
      <Facts
        rows={[
          [say('fingerprint'), of.fingerprint && <code key="fingerprint">{of.fingerprint}</code>],
          [say('last_used'), of.last_used_at ? <Moment key="used" at={of.last_used_at} is_exact /> : say('never')],
          [say('created'), <Moment key="created" at={of.created_at} is_exact />],
        ]}
      />
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button look="danger" is_busy={act.isPending} onClick={revoke}>
          {say('revoke_key')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
