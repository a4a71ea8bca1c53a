// Sets or changes the password.

import { type FormEvent, useState } from 'react'
import { call } from '../client/call.ts'
import { forget } from '../client/query.ts'
import { Button } from '../parts/button.tsx'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/screen.tsx'
import { useAttempt } from '../sign-in/attempt.tsx'
import { PasswordField } from '../sign-in/new-way-in.tsx'
import { say } from '../words.ts'

export function Password({ has_password }: { has_password: boolean }) {
  const [is_open, setOpen] = useState(false)
  const [is_done, setDone] = useState(false)
  const [password, setPassword] = useState('')
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    return attempt(async () => {
      await call('POST /me/password', { body: { password } })
      setOpen(false)
      setPassword('')
      setDone(true)
      await forget('GET /me/account', 'GET /me')
    })
  }
  return (
    <Section title={say('password')}>
      <p role="status">{is_done && !is_open ? say('password_changed') : ''}</p>
      {is_open ? (
        <Form className="form narrow" refused={refused} onSubmit={submit}>
          {trouble}
          <PasswordField value={password} onChange={setPassword} />
          <Button look="primary" type="submit" is_busy={is_busy}>
            {say('save')}
          </Button>
        </Form>
      ) : (
        <Button onClick={() => setOpen(true)}>{say(has_password ? 'change_password' : 'set_password')}</Button>
      )}
    </Section>
  )
}
