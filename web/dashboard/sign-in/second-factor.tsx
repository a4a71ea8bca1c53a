// After the password: a one-time code, or a recovery code for who has lost the device.

import { type FormEvent, useState } from 'react'
import { send } from '../client/call.ts'
import { Button } from '../parts/button.tsx'
import { Field, textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { say } from '../words.ts'
import { useAttempt } from './attempt.tsx'

export function SecondFactor({
  begins_by,
  onDone,
  onBack,
}: {
  /** A recovery code also opens an account that has lost its passkey, without a password before. */
  begins_by: 'one_time_code' | 'recovery_code'
  onDone: () => void
  onBack: () => void
}) {
  const [is_recovery, setRecovery] = useState(begins_by === 'recovery_code')
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = (textsOf(event.currentTarget).code ?? '').trim()
    return attempt(async () => {
      const name = is_recovery ? 'POST /sign-in/recovery-code' : 'POST /sign-in/one-time-code'
      await send(name, { body: { code } })
      onDone()
    })
  }
  return (
    <Form refused={refused} onSubmit={submit} key={String(is_recovery)}>
      {trouble}
      {is_recovery ? (
        <Field
          label={say('recovery_code')}
          hint={say('recovery_code_hint')}
          name="code"
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus
        />
      ) : (
        <CodeField />
      )}
      <Button look="primary" size="wide" type="submit" is_busy={is_busy}>
        {say('confirm')}
      </Button>
      {begins_by === 'one_time_code' && (
        <Button look="plain" size="wide" onClick={() => setRecovery(!is_recovery)}>
          {is_recovery ? say('use_one_time_code') : say('use_recovery_code')}
        </Button>
      )}
      <Button look="plain" size="wide" onClick={onBack}>
        {say('start_again')}
      </Button>
    </Form>
  )
}

/** Six digits from an app; may be pasted with a space between. */
export function CodeField({ is_focused = true, member = 'code' }: { is_focused?: boolean; member?: string }) {
  return (
    <Field
      label={say('one_time_code')}
      hint={say('one_time_code_hint')}
      name="code"
      member={member}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*\d{3}\s?\d{3}\s*"
      required
      autoFocus={is_focused}
    />
  )
}
