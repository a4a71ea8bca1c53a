// The navigation: a rail at the side where there is room, else a bar of four at the foot of a phone.

import { type ReactNode, useId, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { type Place, useHere, usePlace } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { formatNumber, say } from '../words.ts'
import { MerchantChooser } from './merchant-chooser.tsx'
import { type GroupHeading, groupsOf, type ScreenName, screensOf } from './screen-names.ts'

/** Those that a phone's bar shows; the others are behind More. */
const in_bar = 3

export function Rail() {
  const place = usePlace()
  const [is_open, setOpen] = useState(false)
  const [path] = useLocation()
  const screen = screenIn(path, place)
  const all = screensOf(place)
  const near = all.slice(0, in_bar)
  const is_behind = near.some((each) => each === screen) || screen === 'account'
  return (
    <div className="rail">
      <MerchantChooser />
      {all.length > 0 && (
        <nav aria-label={say('main')}>
          <div className={is_open ? 'groups open' : 'groups'}>
            {groupsOf(place).map(({ heading, names }) => (
              <Group key={heading} heading={heading}>
                {names.map((name) => (
                  <li key={name} className={near.includes(name) ? 'near' : 'far'}>
                    <NavLink name={name} is_here={screen === name} onGo={() => setOpen(false)} />
                  </li>
                ))}
              </Group>
            ))}
          </div>
          {all.length > in_bar && (
            <button
              type="button"
              className={is_behind || is_open ? 'more' : 'more here'}
              aria-expanded={is_open}
              onClick={() => setOpen(!is_open)}
            >
              <Icon name={is_open ? 'close' : 'more'} />
              {say('more')}
            </button>
          )}
        </nav>
      )}
    </div>
  )
}

/** Empty at an address that is not of this place. */
function screenIn(path: string, place: Place): string {
  const [, first = '', , screen = ''] = path.split('/')
  if (place.membership === null) return first
  return first === place.merchant_id ? screen : ''
}

function Group({ heading, children }: { heading: GroupHeading; children: ReactNode }) {
  const id = useId()
  if (heading === null) return <ul>{children}</ul>
  return (
    <>
      <p className="group-name" id={id}>
        {say(`nav_group_${heading}`)}
      </p>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  )
}

/** How many holds wait. */
function Waiting() {
  const { merchant_id, mode } = useHere()
  const holds = useAnswer('GET /{merchant_id}/holds', { merchant_id, query: { mode } }, { every_ms: 60_000 })
  const count = holds.data ? countOf(holds.data) : ''
  if (!count) return null
  return (
    <span className="count" aria-hidden="true">
      {count}
    </span>
  )
}

/** How many wait, `100+` where there is a further page of them; empty where none does. */
function countOf({ data, has_more }: { data: unknown[]; has_more: boolean }): string {
  if (data.length === 0) return ''
  return formatNumber(data.length) + (has_more ? '+' : '')
}

function NavLink({ name, is_here, onGo }: { name: ScreenName; is_here: boolean; onGo: () => void }) {
  const { pathOf } = usePlace()
  return (
    <Link href={pathOf(name)} aria-current={is_here ? 'page' : undefined} onClick={onGo}>
      <Icon name={name} />
      {say(`nav_${name}`)}
      {name === 'holds' && <Waiting />}
    </Link>
  )
}
