// The frame of the pages before one is in: the product's name, a card, a note where browsers would refuse.

import { type ReactNode, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { LanguageDialog, languageWords } from '../parts/language-dialog.tsx'
import { Screen } from '../parts/screen.tsx'
import { say } from '../words.ts'
import type { TakenLink } from './link.ts'

export function DoorPage({
  title,
  link,
  children,
}: {
  title: string
  /** The one that is being redeemed. */
  link?: TakenLink
  children: ReactNode
}) {
  return (
    <main className="door" id="content">
      <p className="product">
        <span className="monogram" aria-hidden="true">
          R
        </span>
        {say('product')}
      </p>
      <div className="card">
        <Screen title={title}>{children}</Screen>
      </div>
      <LanguageChoice link={link} />
    </main>
  )
}

function LanguageChoice({ link }: { link: TakenLink | undefined }) {
  const [is_open, setOpen] = useState(false)
  // The secret was taken out of the address, and has to be there when the page is loaded again.
  const putBack = () => {
    if (link) history.replaceState(null, '', `#${link.purpose}=${link.secret}`)
  }
  return (
    <p className="door-foot">
      <Button look="plain" size="small" onClick={() => setOpen(true)}>
        {languageWords()}
      </Button>
      {is_open && <LanguageDialog onClose={() => setOpen(false)} beforeReload={putBack} />}
    </p>
  )
}

/** Why nobody can sign in at this address, or where one should rather open it; null where all is well. */
export function OriginNote({ link }: { link?: TakenLink }) {
  const { protocol, hostname } = location
  const is_loopback = /^(localhost|127\.|\[::1\])/.test(hostname)
  if (protocol === 'http:' && !is_loopback) return <p className="notice">{say('insecure_origin')}</p>
  if (!/^(127\.|\[::1\])/.test(hostname)) return null
  const named = new URL(location.href)
  named.hostname = 'localhost'
  // The secret was taken out of the address, and has to come along.
  if (link) named.hash = `${link.purpose}=${link.secret}`
  return (
    <p className="notice">
      {say('by_number')} <a href={named.href}>{say('go_to_localhost')}</a>
    </p>
  )
}
