// Proves that the person is still the one who signed in: by passkey, by a one-time code, by the password alone, or at the
// provider of single sign-on.

import { type FormEvent, useState } from 'react'
import { send } from '../client/call.ts'
import { Button } from '../parts/button.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'
import { ByProvider } from './by-provider.tsx'
import { showPasskey } from './passkeys.ts'
import { CodeField } from './second-factor.tsx'

export function ProveForm({
  accepted,
  is_locked = false,
  onProved,
}: {
  accepted: string[]
  /** A locked session is opened by a code only together with the password. */
  is_locked?: boolean
  onProved: () => void
}) {
  if (accepted.includes('single_sign_on')) return <ByProvider onProved={onProved} />
  return <ByOwnMeans {...{ accepted, is_locked, onProved }} />
}

function ByOwnMeans({
  accepted,
  is_locked,
  onProved,
}: {
  accepted: string[]
  is_locked: boolean
  onProved: () => void
}) {
  const wants_both = accepted.includes('passkey_and_password')
  const can_passkey = wants_both || accepted.includes('passkey')
  const asks_code = accepted.includes('one_time_code')
  const [is_typed, setTyped] = useState(!can_passkey)
  const toggle = (text: string) => (
    <Button look="plain" size="wide" onClick={() => setTyped(!is_typed)}>
      {text}
    </Button>
  )
  if (!is_typed) {
    return (
      <div className="form">
        <ByPasskey asks_password={wants_both} onProved={onProved} />
        {asks_code && toggle(say('use_one_time_code'))}
      </div>
    )
  }
  return (
    <div className="form">
      <ByTyping asks_code={asks_code} asks_password={is_locked || !asks_code} onProved={onProved} />
      {can_passkey && toggle(say('use_passkey'))}
    </div>
  )
}

function ByPasskey({ asks_password, onProved }: { asks_password: boolean; onProved: () => void }) {
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { password } = textsOf(event.currentTarget)
    return attempt(async () => {
      const { options } = await send('POST /proof/passkey-options', { body: {} })
      const passkey = await showPasskey(options)
      await send('POST /proof', { body: { passkey, ...(password && { password }) } })
      onProved()
    })
  }
  return (
    <Form refused={refused} onSubmit={submit}>
      {trouble}
      {asks_password && <PasswordField />}
      <Button look="primary" size="wide" icon="passkey" type="submit" is_busy={is_busy}>
        {say('use_passkey')}
      </Button>
    </Form>
  )
}

function PasswordField() {
  return (
    <Field label={say('password')} name="password" type="password" autoComplete="current-password" autoFocus required />
  )
}

function ByTyping({
  asks_code,
  asks_password,
  onProved,
}: {
  asks_code: boolean
  asks_password: boolean
  onProved: () => void
}) {
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { code, password } = textsOf(event.currentTarget)
    const one_time_code = code?.replace(/\s/g, '')
    return attempt(async () => {
      const body = { ...(one_time_code && { one_time_code }), ...(password && { password }) }
      await send('POST /proof', { body })
      onProved()
    })
  }
  return (
    <Form refused={refused} onSubmit={submit}>
      {trouble}
      {asks_password && <PasswordField />}
      {asks_code && <CodeField member="one_time_code" is_focused={!asks_password} />}
      <Button look="primary" size="wide" type="submit" is_busy={is_busy}>
        {say('confirm')}
      </Button>
    </Form>
  )
}
