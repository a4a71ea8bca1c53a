// Around every screen: the skip link, the rail, the bar with mode and person, notices, and the place of the screen.

import { type ReactNode, useEffect, useMemo } from 'react'
import { Redirect, useLocation } from 'wouter'
import type { Me, Mode } from '../client/answers.ts'
import { keepPlace, landingOf, newHere, newLobby, type Place, PlaceContext } from '../merchant.ts'
import { LobbyScreens, NotThere, Screens } from '../screens.tsx'
import { say } from '../words.ts'
import { Bar } from './bar.tsx'
import { useChanges } from './changes.ts'
import { Done } from './done.tsx'
import { Notices } from './notices.tsx'
import { Rail } from './rail.tsx'
import { screens } from './screen-names.ts'
import { Shortcuts } from './shortcut-list.tsx'

export function Frame({ me }: { me: Me }) {
  const [path] = useLocation()
  const [, first = '', mode, screen = ''] = path.split('/')
  const landing = landingOf(me)
  if (landing === null) return <InLobby me={me} />
  const { membership, mode: its_mode } = landing
  const own = me.memberships.find(({ merchant_id }) => merchant_id === first)
  if (own && (mode === 'test' || mode === 'live')) {
    if (screen === '') return <Redirect replace to={`/${first}/${mode}/overview`} />
    return (
      <AtMerchant me={me} merchant_id={first} mode={mode}>
        {/* Another merchant or mode is another page: nothing of the one before stays. */}
        <Screens key={`${first} ${mode}`} />
      </AtMerchant>
    )
  }
  // A screen without a merchant is that of the merchant where this person was last.
  if (first === '' || first === 'account' || screens.some((name) => name === first)) {
    const to = `/${membership.merchant_id}/${its_mode}/${first || 'overview'}`
    return <Redirect replace to={to} />
  }
  return (
    <AtMerchant me={me} merchant_id={membership.merchant_id} mode={its_mode}>
      <NotThere />
    </AtMerchant>
  )
}

function AtMerchant({
  me,
  merchant_id,
  mode,
  children,
}: {
  me: Me
  merchant_id: string
  mode: Mode
  children: ReactNode
}) {
  const here = useMemo(() => {
    const membership = me.memberships.find((each) => each.merchant_id === merchant_id)!
    return newHere(me, membership, mode)
  }, [me, merchant_id, mode])
  useEffect(() => keepPlace(merchant_id, mode), [merchant_id, mode])
  useChanges()
  return <Whole place={here}>{children}</Whole>
}

/** Whoever belongs to no merchant. */
function InLobby({ me }: { me: Me }) {
  const lobby = useMemo(() => newLobby(me), [me])
  return (
    <Whole place={lobby}>
      <LobbyScreens />
    </Whole>
  )
}

function Whole({ place, children }: { place: Place; children: ReactNode }) {
  return (
    <PlaceContext value={place}>
      <a className="skip" href="#content">
        {say('skip')}
      </a>
      {place.membership && place.mode === 'test' && (
        <section className="band" aria-label={say('test')}>
          {say('test_band')}
        </section>
      )}
      <div className="frame">
        <Rail />
        <div className="stage">
          <Bar />
          <main id="content" tabIndex={-1}>
            <Notices />
            <Done />
            {children}
          </main>
        </div>
      </div>
      <Shortcuts />
    </PlaceContext>
  )
}
