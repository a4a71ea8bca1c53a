// Signing in: by passkey, or by password and then a one-time code or a recovery code; where both are asked for, by both.

import { type FormEvent, useState } from 'react'
import type { Ways } from '../client/answers.ts'
import { send } from '../client/call.ts'
import { useAnswer } from '../client/query.ts'
import { Alert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'
import { PasskeyToo, PasswordToo } from './both-ways.tsx'
import { DoorPage, OriginNote } from './door.tsx'
import { showPasskey } from './passkeys.ts'
import { roundEndStore } from './round-end.ts'
import { SecondFactor } from './second-factor.tsx'

type Step = 'start' | 'password' | 'one_time_code' | 'recovery_code' | 'passkey_too' | 'password_too'
/** What the service asks for next. */
type Next = 'signed_in' | 'one_time_code' | 'passkey' | 'password'
const stepAfter = {
  one_time_code: 'one_time_code',
  passkey: 'passkey_too',
  password: 'password_too',
} as const

export function SignIn({ onDone }: { onDone: () => void }) {
  const ways = useAnswer('GET /sign-in/ways', {})
  return (
    <DoorPage title={say('sign_in')}>
      <OriginNote />
      {ways.data?.first_command ? (
        <NobodyYet command={ways.data.first_command} />
      ) : (
        <>
          <SingleSignOnRefused />
          <SignInSteps onDone={onDone} />
          <SingleSignOn found={ways.data?.single_sign_on} />
        </>
      )}
    </DoorPage>
  )
}

/** Then no way in would lead anywhere. */
function NobodyYet({ command }: { command: string }) {
  return (
    <div className="notice">
      <p>{say('nobody_yet')}</p>
      <Copyable text={command} />
    </div>
  )
}

/** One comes back from the provider with this in the address, and the service does not say which part was wrong. */
function SingleSignOnRefused() {
  const is_refused = useStore(roundEndStore) === 'refused'
  return is_refused && <Alert>{say('single_sign_on_refused')}</Alert>
}

/** The steps without a page around them. */
export function SignInSteps({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState<Step>('start')
  const [email, setEmail] = useState('')
  if (step === 'one_time_code' || step === 'recovery_code') {
    return <SecondFactor begins_by={step} onDone={onDone} onBack={() => setStep('start')} />
  }
  if (step === 'passkey_too' || step === 'password_too') {
    return (
      <>
        {step === 'passkey_too' ? <PasskeyToo onDone={onDone} /> : <PasswordToo onDone={onDone} />}
        <Button look="plain" size="wide" onClick={() => setStep('recovery_code')}>
          {say('use_recovery_code')}
        </Button>
        <Button look="plain" size="wide" onClick={() => setStep('start')}>
          {say('start_again')}
        </Button>
      </>
    )
  }
  return (
    <>
      <FirstFactor
        email={email}
        onEmail={setEmail}
        asks_password={step === 'password'}
        onPassword={() => setStep('password')}
        onNext={(next) => (next === 'signed_in' ? onDone() : setStep(stepAfter[next]))}
      />
      {step === 'start' ? (
        <Button look="plain" size="wide" onClick={() => setStep('recovery_code')}>
          {say('use_recovery_code')}
        </Button>
      ) : (
        <Button look="plain" size="wide" onClick={() => setStep('start')}>
          {say('start_again')}
        </Button>
      )}
    </>
  )
}

function FirstFactor({
  email,
  onEmail,
  asks_password,
  onPassword,
  onNext,
}: {
  email: string
  onEmail: (email: string) => void
  asks_password: boolean
  onPassword: () => void
  onNext: (next: Next) => void
}) {
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const byPasskey = () =>
    attempt(async () => {
      const { options } = await send('POST /sign-in/passkey-options', { body: {} })
      const passkey = await showPasskey(options)
      const { next } = await send('POST /sign-in/passkey', { body: { passkey } })
      onNext(next)
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!asks_password) return onPassword()
    const { password = '' } = textsOf(event.currentTarget)
    return attempt(async () => {
      const { next } = await send('POST /sign-in/password', { body: { email, password } })
      onNext(next)
    })
  }
  return (
    <Form refused={refused} onSubmit={submit}>
      {trouble}
      <Field
        label={say('email')}
        name="email"
        type="email"
        autoComplete="username webauthn"
        required={asks_password}
        value={email}
        onChange={(event) => onEmail(event.target.value)}
      />
      {asks_password ? (
        <>
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
        </>
      ) : (
        <>
          <Button look="primary" size="wide" icon="passkey" is_busy={is_busy} onClick={byPasskey}>
            {say('sign_in_passkey')}
          </Button>
          <Button size="wide" onClick={onPassword}>
            {say('use_password')}
          </Button>
        </>
      )}
    </Form>
  )
}

/** A link to the company's own sign-in, where the operator has set one up. */
function SingleSignOn({ found }: { found: Ways['single_sign_on'] | undefined }) {
  if (!found) return null
  return (
    <a className="button quiet wide" href={found.path}>
      {say('single_sign_on', { name: found.name })}
    </a>
  )
}
