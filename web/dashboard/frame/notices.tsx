// What a person should know on every screen: a newer version, a lock that comes near, an account that is not live.

import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../client/call.ts'
import { forget } from '../client/query.ts'
import { usePlace } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { roundEndStore } from '../sign-in/round-end.ts'
import { useStore } from '../store.ts'
import { say } from '../words.ts'

declare const RIPPER_VERSION: string

/** Before the session locks. */
const warning_ms = 2 * 60_000

export function Notices() {
  const place = usePlace()
  const { me, pathOf } = place
  const { has_one_time_codes, has_password, passkeys } = me.methods
  return (
    <>
      {me.version !== RIPPER_VERSION && (
        <Notice words={say('newer_version')}>
          <Button size="small" onClick={() => location.reload()}>
            {say('reload')}
          </Button>
        </Notice>
      )}
      <LockWarning />
      <RoundEnded />
      {place.membership && place.mode === 'live' && !place.membership.is_live && <Notice words={say('not_live')} />}
      {has_password && !has_one_time_codes && passkeys === 0 && (
        <Notice words={say('one_time_codes_due')}>
          <Link href={pathOf('account')}>{say('my_account')}</Link>
        </Notice>
      )}
    </>
  )
}

/** This tab was opened beside the one that wants the proof. */
function RoundEnded() {
  const end = useStore(roundEndStore)
  if (end === null) return null
  return (
    <Notice words={say(`single_sign_on_${end}`)}>
      <Button size="small" onClick={() => roundEndStore.write(null)}>
        {say('close')}
      </Button>
    </Notice>
  )
}

function LockWarning() {
  const { me } = usePlace()
  const [is_near, setNear] = useState(false)
  const { locks_at } = me.session
  useEffect(() => {
    const ahead_ms = new Date(locks_at).getTime() - new Date(me.now).getTime()
    setNear(ahead_ms <= warning_ms)
    const timer = setTimeout(() => setNear(true), Math.max(0, ahead_ms - warning_ms))
    return () => clearTimeout(timer)
  }, [locks_at, me.now])
  if (!is_near) return null
  // The press itself makes the request one of a person.
  const stay = async () => {
    await call('GET /me', {}).catch(() => undefined)
    await forget('GET /me')
  }
  return (
    <Notice words={say('locks_soon')}>
      <Button size="small" onClick={stay}>
        {say('stay')}
      </Button>
    </Notice>
  )
}

function Notice({ words, children }: { words: string; children?: React.ReactNode }) {
  return (
    <div className="notice" role="status">
      <p>{words}</p>
      {children}
    </div>
  )
}
