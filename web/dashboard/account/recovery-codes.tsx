// Recovery codes: how many are left, and new ones.

import { useAct } from '../client/query.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Section } from '../parts/screen.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say, sayCount } from '../words.ts'

export function RecoveryCodes({ left }: { left: number }) {
  const act = useAct('POST /me/recovery-codes', ['GET /me/account', 'GET /me'])
  return (
    <Section title={say('recovery_codes')}>
      <p className={left < 3 ? 'warning' : undefined}>{sayCount('codes_left_1', 'codes_left', left)}</p>
      <RefusalAlert refused={act.error} />
      <Button is_busy={act.isPending} onClick={() => act.mutate({ body: {} })}>
        {say('new_recovery_codes')}
      </Button>
      {act.data && (
        <Dialog title={say('recovery_codes_title')} onClose={null}>
          <div className="form">
            <SecretRegion
              label={say('recovery_codes')}
              texts={act.data.recovery_codes}
              note={say('recovery_codes_words')}
              onKept={() => act.reset()}
            />
          </div>
        </Dialog>
      )}
    </Section>
  )
}
