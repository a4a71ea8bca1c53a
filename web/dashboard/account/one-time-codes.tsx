// Sets up one-time codes: the secret as text for an app, and a first code that shows that the app has it.

import { type FormEvent, useState } from 'react'
import { call } from '../client/call.ts'
import { forget, useAct } from '../client/query.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/screen.tsx'
import { Status } from '../parts/status.tsx'
import { useAttempt } from '../sign-in/attempt.tsx'
import { CodeField } from '../sign-in/second-factor.tsx'
import { say } from '../words.ts'

export function OneTimeCodes({ has_one_time_codes }: { has_one_time_codes: boolean }) {
  const [made, setMade] = useState<{ secret: string; uri: string } | null>(null)
  const { attempt, is_busy, fault } = useAttempt()
  const remove = useAct('DELETE /me/one-time-codes', ['GET /me/account', 'GET /me'])
  const setUp = () => attempt(async () => setMade(await call('POST /me/one-time-codes', { body: {} })))
  return (
    <Section title={say('one_time_codes')}>
      {fault}
      <RefusalAlert refused={remove.error} />
      {made ? (
        <FirstCode made={made} onDone={() => setMade(null)} />
      ) : has_one_time_codes ? (
        <p className="acts start">
          <Status status="active" />
          <Button size="small" onClick={() => remove.mutate({})}>
            {say('remove_one_time_codes')}
          </Button>
        </p>
      ) : (
        <>
          <p>{say('one_time_codes_words')}</p>
          <Button is_busy={is_busy} onClick={setUp}>
            {say('set_up_one_time_codes')}
          </Button>
        </>
      )}
    </Section>
  )
}

function FirstCode({ made, onDone }: { made: { secret: string; uri: string }; onDone: () => void }) {
  const { attempt, is_busy, refused, trouble } = useAttempt()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = (textsOf(event.currentTarget).code ?? '').replace(/\s/g, '')
    return attempt(async () => {
      await call('POST /me/one-time-codes/confirm', { body: { code } })
      await forget('GET /me/account', 'GET /me')
      onDone()
    })
  }
  return (
    <Form className="form narrow" refused={refused} onSubmit={submit}>
      {trouble}
      <p>{say('one_time_secret_words')}</p>
      <p className="secret">
        <Copyable text={made.secret} />
      </p>
      <p>
        <a href={made.uri}>{say('open_in_app')}</a>
      </p>
      <CodeField />
      <Button look="primary" type="submit" is_busy={is_busy}>
        {say('confirm')}
      </Button>
    </Form>
  )
}
