// The form that a link leads to: who one is, and a passkey or a password.

import { type FormEvent, useRef, useState } from 'react'
import type { LinkRead } from '../client/answers.ts'
import type { Routes } from '../client/routes.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'
import { makePasskey, type NewPasskeyOptions } from './passkeys.ts'

export type WayIn = Omit<Routes['POST /links/redeem']['body'], 'secret'>

export function NewWayIn({
  found,
  onPasskeyOptions,
  onRedeem,
}: {
  found: LinkRead
  onPasskeyOptions: (email: string, name: string) => Promise<{ options: NewPasskeyOptions }>
  onRedeem: (way: WayIn) => Promise<void>
}) {
  const [email, setEmail] = useState(found.email ?? '')
  const [name, setName] = useState(found.name ?? '')
  const [password, setPassword] = useState('')
  const [is_password, setIsPassword] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const byPasskey = () => {
    if (!form.current?.reportValidity()) return
    void attempt(async () => {
      const { options } = await onPasskeyOptions(email, name)
      await onRedeem({ email, name, passkey: await makePasskey(options) })
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!is_password) return byPasskey()
    return attempt(() => onRedeem({ email, name, password }))
  }
  return (
    <Form refused={refused} ref={form} onSubmit={submit}>
      {trouble}
      <Field
        label={say('email')}
        member="email"
        type="email"
        autoComplete="username"
        required
        readOnly={found.email !== null}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field
        label={say('name')}
        member="name"
        autoComplete="name"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {is_password ? (
        <>
          <PasswordField value={password} onChange={setPassword} />
          <Button look="primary" size="wide" type="submit" is_busy={is_busy}>
            {say('create_account')}
          </Button>
        </>
      ) : (
        <>
          <Button look="primary" size="wide" icon="passkey" is_busy={is_busy} onClick={byPasskey}>
            {say('create_passkey')}
          </Button>
          <Button size="wide" onClick={() => setIsPassword(true)}>
            {say('use_password_instead')}
          </Button>
        </>
      )}
    </Form>
  )
}

/** A new password. What the service would refuse is said by the service; the browser asks for the length alone. */
export function PasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      label={say('password')}
      hint={say('password_hint')}
      member="password"
      type="password"
      autoComplete="new-password"
      minLength={12}
      maxLength={128}
      required
      autoFocus
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
