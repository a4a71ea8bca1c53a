// The brake: while it is pulled, the service finds authorisations that it does not know, but reverses none of them.

import { type FormEvent, useState } from 'react'
import type { Orphans } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { Alert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Tick } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { say } from '../words.ts'
import { ReasonDialog } from './reason-dialog.tsx'

export function Brake({ brakes, sweeps, unlisted }: Pick<Orphans, 'brakes' | 'sweeps' | 'unlisted'>) {
  const [opened, setOpened] = useState<'pull' | 'release' | null>(null)
  const close = () => setOpened(null)
  const is_pulled_for_all = brakes.some(({ acquirer }) => acquirer === '*')
  return (
    <Section
      title={say('brake')}
      acts={
        <>
          {!is_pulled_for_all && <Button onClick={() => setOpened('pull')}>{say('pull_brake')}</Button>}
          {brakes.length > 0 && <Button onClick={() => setOpened('release')}>{say('release_brake')}</Button>}
        </>
      }
    >
      <p className="hint">{say('brake_words')}</p>
      {brakes.length === 0 && <p>{say('brake_released')}</p>}
      {brakes.map(({ acquirer, pulled_at, pulled_by, reason }) => (
        <Alert key={acquirer}>
          <p>
            {say('brake_pulled_by', {
              who: pulled_by,
              acquirer: acquirer === '*' ? say('every_acquirer') : acquirer,
            })}{' '}
            <Moment at={pulled_at} is_exact />
          </p>
          <p className="breakable">{reason}</p>
        </Alert>
      ))}
      {brakes.length > 0 &&
        sweeps.map(({ acquirer, swept_until }) => (
          <p key={acquirer} className="hint">
            {say('swept_until', { acquirer })} <Moment at={swept_until} is_exact />
          </p>
        ))}
      {brakes.length > 0 &&
        unlisted.map((acquirer) => (
          <p key={acquirer} className="hint">
            {say('without_list', { acquirer })}
          </p>
        ))}
      {opened === 'pull' && <Pull onClose={close} />}
      {opened === 'release' && <Release onClose={close} />}
    </Section>
  )
}

function Pull({ onClose }: { onClose: () => void }) {
  const act = useAct('POST /system/brake/pull', ['GET /system/orphans'])
  return (
    <ReasonDialog
      title={say('pull_brake')}
      words={say('pull_brake_words')}
      act={act}
      onReason={(reason) => act.mutate({ body: { acquirer: null, reason } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

function Release({ onClose }: { onClose: () => void }) {
  const [anyway, setAnyway] = useState(false)
  const act = useAct('POST /system/brake/release', ['GET /system/orphans'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate({ body: { acquirer: null, anyway } }, { onSuccess: onClose })
  }
  return (
    <Dialog title={say('release_brake')} onClose={onClose}>
      <Form refused={act.error} onSubmit={submit}>
        <p>{say('release_brake_words')}</p>
        <Tick
          label={say('release_anyway')}
          member="anyway"
          checked={anyway}
          onChange={({ target }) => setAnyway(target.checked)}
        />
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="danger" type="submit" is_busy={act.isPending}>
            {say('release_brake')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}
