// Above a screen: the mode, the theme and the person.

import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../client/call.ts'
import { queryClient } from '../client/query.ts'
import { standingStore } from '../client/standing.ts'
import { usePlace } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { LanguageDialog, languageWords } from '../parts/language-dialog.tsx'
import { Menu } from '../parts/menu.tsx'
import { Name } from '../parts/name.tsx'
import { Toggle } from '../parts/toggle.tsx'
import { say } from '../words.ts'
import { Palette } from './palette.tsx'
import { shortcutListStore } from './shortcuts.ts'

export function Bar() {
  const place = usePlace()
  const { me, pathOf } = place
  const [path, navigate] = useLocation()
  const [is_choosing, setChoosing] = useState(false)
  const screen = path.split('/')[3] ?? 'overview'
  const acts = [
    { id: 'account', text: say('my_account'), act: () => navigate(pathOf('account')) },
    { id: 'language', text: languageWords(), act: () => setChoosing(true) },
    { id: 'help', text: say('help'), act: () => void open(me.docs_url, '_blank', 'noopener') },
    { id: 'shortcuts', text: say('shortcuts'), act: () => shortcutListStore.write(true) },
    { id: 'sign_out', text: say('sign_out'), act: () => void signOut() },
  ]
  return (
    <header className="bar">
      <span className="bar-merchant">
        {place.membership && (
          <>
            <Name text={place.membership.merchant_name} /> · {say(place.mode)}
          </>
        )}
      </span>
      <span className="palette">
        <Palette />
      </span>
      {place.membership && (
        <Toggle
          label={say('live_mode')}
          is_on={place.mode === 'live'}
          onChange={(is_on) => navigate(`/${place.merchant_id}/${is_on ? 'live' : 'test'}/${screen}`)}
        />
      )}
      <Menu look="plain" acts={acts}>
        <Icon name="person" />
        <span className="person">
          <Name text={me.user.name} />
        </span>
      </Menu>
      {is_choosing && <LanguageDialog onClose={() => setChoosing(false)} />}
    </header>
  )
}

async function signOut(): Promise<void> {
  await call('POST /sign-out', { body: {} }).catch(() => undefined)
  queryClient.clear()
  standingStore.write('signed_out')
}
