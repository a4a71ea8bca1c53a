// Finds sessions by a part of an email or order, and opens what an id names.

import { screenOfId, screenOfSecret } from '../frame/screen-of-id.ts'
import { SearchForm } from '../parts/search-form.tsx'
import { say } from '../words.ts'

export function SessionSearch({
  onText,
  onScreen,
}: {
  onText: (text: string) => void
  onScreen: (path: string) => void
}) {
  const onSearch = (text: string) => {
    const shown = /^(pay|cs)_/i.test(text) ? screenOfId(text) : null
    // A session has a page of its own, with or without a payment.
    const path = screenOfSecret(text) ?? (/^cs_/i.test(text) && shown ? `sessions/${text}` : shown?.path)
    if (path) onScreen(path)
    else onText(text)
  }
  return <SearchForm label={say('search_sessions')} hint={say('search_sessions_hint')} onSearch={onSearch} />
}
