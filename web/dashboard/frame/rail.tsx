// The navigation: a rail at the side where there is room, else a bar of four at the foot of a phone.

import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { formatNumber, say, type WordKey } from '../words.ts'
import { MerchantChooser } from './merchant-chooser.tsx'
import { type screens, screensOf } from './screen-names.ts'

/** Those that a phone's bar shows; the others are behind More. */
const in_bar = 3

export function Rail() {
  const { me, merchant_id, mode, may } = useHere()
  const shown = screensOf(me.user)
  const [is_open, setOpen] = useState(false)
  const [path] = useLocation()
  const holds = useAnswer(
    'GET /{merchant_id}/holds',
    { merchant_id, query: { mode } },
    { is_wanted: may('read_transactions'), every_ms: 60_000 },
  )
  const waiting = holds.data ? countOf(holds.data) : ''
  const screen = path.split('/')[3] ?? ''
  const is_behind = shown.slice(in_bar).some((each) => each === screen) || screen === 'account'
  return (
    <div className="rail">
      <MerchantChooser />
      <nav aria-label={say('main')}>
        <ul className={is_open ? 'open' : undefined}>
          {shown.map((name, index) => (
            <li key={name} className={index < in_bar ? 'near' : 'far'}>
              <NavLink
                name={name}
                is_here={screen === name}
                count={name === 'holds' ? waiting : ''}
                onGo={() => setOpen(false)}
              />
            </li>
          ))}
        </ul>
        <button
          type="button"
          className={is_behind && !is_open ? 'more here' : 'more'}
          aria-expanded={is_open}
          onClick={() => setOpen(!is_open)}
        >
          <Icon name={is_open ? 'close' : 'more'} />
          {say('more')}
        </button>
      </nav>
    </div>
  )
}

/** How many wait, `100+` where there is a further page of them; empty where none does. */
function countOf({ data, has_more }: { data: unknown[]; has_more: boolean }): string {
  if (data.length === 0) return ''
  return formatNumber(data.length) + (has_more ? '+' : '')
}

function NavLink({
  name,
  is_here,
  count,
  onGo,
}: {
  name: (typeof screens)[number]
  is_here: boolean
  count: string
  onGo: () => void
}) {
  const { pathOf } = useHere()
  return (
    <Link href={pathOf(name)} aria-current={is_here ? 'page' : undefined} onClick={onGo}>
      <Icon name={name} />
      {say(`nav_${name}` as WordKey)}
      {count && (
        <span className="count" aria-hidden="true">
          {count}
        </span>
      )}
    </Link>
  )
}
