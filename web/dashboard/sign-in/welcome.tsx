// A link is opened: the first owner, somebody who was invited, or somebody who lost every way in.

import { useState } from 'react'
import type { LinkRead } from '../client/answers.ts'
import { send } from '../client/call.ts'
import { useAnswer } from '../client/query.ts'
import { standingStore } from '../client/standing.ts'
import { keepPlace } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { say, sayCode } from '../words.ts'
import { DoorPage, OriginNote } from './door.tsx'
import { JoinAsOneIs } from './join-as-one-is.tsx'
import type { TakenLink } from './link.ts'
import { NewWayIn } from './new-way-in.tsx'

export function Welcome({ link, onDone }: { link: TakenLink; onDone: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null)
  const { secret } = link
  const read = useAnswer('POST /links/read', { body: { secret } }, { is_wanted: codes === null })
  if (codes) {
    return (
      <DoorPage title={say('recovery_codes_title')}>
        <div className="form">
          <SecretRegion
            label={say('recovery_codes')}
            texts={codes}
            note={say('recovery_codes_words')}
            onKept={onDone}
          />
        </div>
      </DoorPage>
    )
  }
  if (read.error) {
    return (
      <DoorPage title={say('link_title')}>
        <RefusalAlert refused={read.error} />
        <Button size="wide" onClick={onDone}>
          {say('sign_in')}
        </Button>
      </DoorPage>
    )
  }
  return (
    <DoorPage title={sayCode('link', link.purpose)} link={link}>
      <OriginNote link={link} />
      <Loaded answer={read} rows={3}>
        {(found) => (
          <>
            {wordsOf(found).map((words) => (
              <p key={words} className="lead">
                {words}
              </p>
            ))}
            {found.account_exists && link.purpose !== 'reset' ? (
              <JoinAsOneIs
                onJoin={async () => {
                  const body = { secret, email: found.email ?? '', name: found.name ?? '' }
                  const { merchant_id } = await send('POST /links/redeem', { body })
                  if (merchant_id) keepPlace(merchant_id, null)
                  onDone()
                }}
              />
            ) : (
              <NewWayIn
                found={found}
                onPasskeyOptions={(email, name) =>
                  send('POST /links/passkey-options', { body: { secret, email, name } })
                }
                onRedeem={async (way) => {
                  const answer = await send('POST /links/redeem', { body: { secret, ...way } })
                  standingStore.write('signed_in')
                  if (answer.merchant_id) keepPlace(answer.merchant_id, null)
                  if (answer.recovery_codes.length === 0) onDone()
                  else setCodes(answer.recovery_codes)
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </DoorPage>
  )
}

/** What the link gives, and nothing that is not there. */
function wordsOf({ purpose, merchant_name, role, is_operator }: LinkRead): string[] {
  if (purpose === 'reset') return [say('link_words_reset')]
  return [
    ...(merchant_name && role ? [say('link_joins', { merchant: merchant_name, role: sayCode('role', role) })] : []),
    ...(is_operator ? [say('link_operates')] : []),
    ...(!merchant_name && !is_operator ? [say('link_words_welcome')] : []),
  ]
}
