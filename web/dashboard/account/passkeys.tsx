// The person's passkeys: add one, remove one.

import { type FormEvent, useState } from 'react'
import type { Account } from '../client/answers.ts'
import { call } from '../client/call.ts'
import { forget, useAct } from '../client/query.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Section } from '../parts/screen.tsx'
import { useAttempt } from '../sign-in/attempt.tsx'
import { makePasskey } from '../sign-in/passkeys.ts'
import { say } from '../words.ts'

export function Passkeys({ account: { passkeys } }: { account: Account }) {
  const remove = useAct('DELETE /me/passkeys/{credential_id}', ['GET /me/account', 'GET /me'])
  return (
    <Section title={say('passkeys')}>
      {passkeys.length === 0 && <Empty title={say('no_passkeys')} />}
      <ul className="items">
        {passkeys.map(({ credential_id, name, created_at, used_at, is_backed_up }) => (
          <li key={credential_id}>
            <span>
              <Name text={name} />{' '}
              <span className="hint">
                {say(is_backed_up ? 'passkey_backed_up' : 'passkey_on_device')} · {say('created')}{' '}
                <Moment at={created_at} />
                {used_at && (
                  <>
                    {' '}
                    · {say('last_used')} <Moment at={used_at} />
                  </>
                )}
              </span>
            </span>
            <Button
              size="small"
              aria-label={say('remove_passkey', { name })}
              onClick={() => remove.mutate({ credential_id })}
            >
              {say('remove')}
            </Button>
          </li>
        ))}
      </ul>
      <RefusalAlert refused={remove.error} />
      <AddPasskey />
    </Section>
  )
}

function AddPasskey() {
  const [name, setName] = useState('')
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const add = (event: FormEvent) => {
    event.preventDefault()
    return attempt(async () => {
      const { options } = await call('POST /me/passkeys/options', { body: {} })
      const passkey = await makePasskey(options)
      const body = { name: name.trim() || say('passkey'), passkey }
      await call('POST /me/passkeys', { body })
      setName('')
      await forget('GET /me/account', 'GET /me')
    })
  }
  return (
    <Form className="form narrow" refused={refused} onSubmit={add}>
      {trouble}
      <Field
        label={say('passkey_name')}
        hint={say('passkey_name_hint')}
        member="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button icon="passkey" type="submit" is_busy={is_busy}>
        {say('add_passkey')}
      </Button>
    </Form>
  )
}
