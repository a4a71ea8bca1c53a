// My account: ways in, sessions, how the page looks.

import { useAnswer } from '../client/query.ts'
import { usePlace } from '../merchant.ts'
import { Choice } from '../parts/field.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Name } from '../parts/name.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { useStore } from '../store.ts'
import { chooseTheme, type Theme, themeStore } from '../theme.ts'
import { say } from '../words.ts'
import { OneTimeCodes } from './one-time-codes.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { Sessions } from './sessions.tsx'

export function Account() {
  const { me } = usePlace()
  const answer = useAnswer('GET /me/account', {})
  return (
    <Screen
      title={say('my_account')}
      lead={
        <p>
          <Name text={me.user.name} /> · {me.user.email}
        </p>
      }
    >
      <Loaded answer={answer}>
        {(account) => (
          <>
            <Passkeys account={account} />
            <Password has_password={account.has_password} />
            <OneTimeCodes has_one_time_codes={account.has_one_time_codes} />
            <RecoveryCodes left={account.recovery_codes_left} />
            <Sessions account={account} />
          </>
        )}
      </Loaded>
      <Section title={say('looks')}>
        <ThemeChoice />
      </Section>
    </Screen>
  )
}

function ThemeChoice() {
  const theme = useStore(themeStore)
  return (
    <Choice
      label={say('theme')}
      value={theme}
      onChange={({ target }) => chooseTheme(target.value as Theme)}
      options={[
        { value: 'auto', text: say('theme_auto') },
        { value: 'light', text: say('theme_light') },
        { value: 'dark', text: say('theme_dark') },
      ]}
    />
  )
}
