// Around every screen: the skip link, the rail, the bar with mode and person, notices, and the place of the screen.

import { useEffect, useMemo } from 'react'
import { Redirect, useLocation } from 'wouter'
import type { Me, Mode } from '../client/answers.ts'
import { HereContext, keepPlace, newHere, placeOf } from '../merchant.ts'
import { Empty } from '../parts/empty.tsx'
import { Screen } from '../parts/screen.tsx'
import { Screens } from '../screens.tsx'
import { say } from '../words.ts'
import { Bar } from './bar.tsx'
import { useChanges } from './changes.ts'
import { Notices } from './notices.tsx'
import { Rail } from './rail.tsx'
import { Shortcuts } from './shortcut-list.tsx'

export function Frame({ me }: { me: Me }) {
  const [path] = useLocation()
  const [, merchant_id, mode, ...rest] = path.split('/')
  const membership = me.memberships.find((each) => each.merchant_id === merchant_id)
  const is_mode = mode === 'test' || mode === 'live'
  if (!membership || !is_mode) return <Elsewhere me={me} is_bare={path === '/' || path === ''} />
  if (rest.length === 0 || rest[0] === '')
    return <Redirect replace to={`/${merchant_id}/${mode}/overview`} />
  return <Inside me={me} merchant_id={membership.merchant_id} mode={mode} />
}

function Inside({ me, merchant_id, mode }: { me: Me; merchant_id: string; mode: Mode }) {
  const here = useMemo(() => {
    const membership = me.memberships.find((each) => each.merchant_id === merchant_id)!
    return newHere(me, membership, mode)
  }, [me, merchant_id, mode])
  useEffect(() => keepPlace(here), [here])
  useChanges()
  return (
    <HereContext value={here}>
      <a className="skip" href="#content">
        {say('skip')}
      </a>
      {mode === 'test' && (
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
            {/* Another merchant or mode is another page: nothing of the one before stays. */}
            <Screens key={`${merchant_id} ${mode}`} />
          </main>
        </div>
      </div>
      <Shortcuts />
    </HereContext>
  )
}

/** An address without a merchant, or with one that this person does not belong to. */
function Elsewhere({ me, is_bare }: { me: Me; is_bare: boolean }) {
  const place = placeOf(me)
  if (place && is_bare) {
    const { membership, mode } = place
    return <Redirect replace to={`/${membership.merchant_id}/${mode}/overview`} />
  }
  const [title, words] = place
    ? ([say('not_found'), say('not_found_words')] as const)
    : ([say('no_merchant'), say('no_merchant_words')] as const)
  return (
    <main className="door" id="content">
      <Screen title={title}>
        <Empty title={words}>{place && <a href="/dashboard">{say('to_overview')}</a>}</Empty>
      </Screen>
    </main>
  )
}
