// Finds sessions by a part of an email or order, and opens what an id names.

import { type FormEvent, useState } from 'react'
import { screenOfId, screenOfSecret } from '../frame/screen-of-id.ts'
import { Icon } from '../parts/icon.tsx'
import { textOf } from '../payments/search.ts'
import { say } from '../words.ts'

export function SessionSearch({
  onText,
  onScreen,
}: {
  onText: (text: string) => void
  onScreen: (path: string) => void
}) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = textOf(typed)
    const shown = /^(pay|cs)_/i.test(text) ? screenOfId(text) : null
    // A session has a page of its own, with or without a payment.
    const path = screenOfSecret(text) ?? (/^cs_/i.test(text) && shown ? `sessions/${text}` : shown?.path)
    setTyped('')
    if (path) onScreen(path)
    else onText(text)
  }
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          type="search"
          data-key="/"
          aria-label={say('search_sessions')}
          placeholder={say('search_sessions_hint')}
          autoComplete="off"
          spellCheck={false}
          maxLength={254}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
    </search>
  )
}
