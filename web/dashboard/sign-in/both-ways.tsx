// Where the service asks for a passkey and a password: the second of the two.

import type { FormEvent } from 'react'
import { send } from '../client/call.ts'
import { Button } from '../parts/button.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'
import { showPasskey } from './passkeys.ts'

export function PasskeyToo({ onDone }: { onDone: () => void }) {
  const { attempt, is_busy, fault } = useAttempt()
  const show = () =>
    attempt(async () => {
      const { options } = await send('POST /sign-in/passkey-options', { body: {} })
      await send('POST /sign-in/passkey', { body: { passkey: await showPasskey(options) } })
      onDone()
    })
  return (
    <div className="form">
      {fault}
      <p>{say('passkey_too')}</p>
      <Button look="primary" size="wide" icon="passkey" is_busy={is_busy} onClick={show}>
        {say('use_passkey')}
      </Button>
    </div>
  )
}

export function PasswordToo({ onDone }: { onDone: () => void }) {
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { password = '' } = textsOf(event.currentTarget)
    return attempt(async () => {
      await send('POST /sign-in/second-password', { body: { password } })
      onDone()
    })
  }
  return (
    <Form refused={refused} onSubmit={submit}>
      {trouble}
      <p>{say('password_too')}</p>
      <Field
        label={say('password')}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
      />
      <Button look="primary" size="wide" type="submit" is_busy={is_busy}>
        {say('sign_in')}
      </Button>
    </Form>
  )
}
