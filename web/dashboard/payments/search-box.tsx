// One box that understands what is typed into it. Below it stands what there is of the text, and then what else it may mean.

import { type FormEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { locale, say } from '../words.ts'
import { filtersWords } from './filter-words.ts'
import type { Filters } from './filters.ts'
import { choicesOf, type Matches, type Understood, understand } from './search.ts'

/** How long somebody must pause before the service is asked what there is of the text. */
const pause_ms = 200

export function SearchBox({ onFilters }: { onFilters: (filters: Filters) => void }) {
  const { pathOf } = useHere()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  /** The words of the choice that the arrows went to: what comes later may stand before it. */
  const [picked, setPicked] = useState<string | null>(null)
  const [is_open, setOpen] = useState(false)
  const id = useId()
  /** The text at which somebody pressed Enter before the service had said what there is of it. */
  const [hurried, setHurried] = useState<string | null>(null)
  const matches = useMatches(typed, hurried !== null)
  const meanings = choicesOf(typed, locale, matches ?? nothing)
  const chosen = Math.max(
    0,
    meanings.findIndex((meaning) => wordsOf(meaning) === picked),
  )
  const is_listed = is_open && meanings.length > 0
  const go = (meaning: Understood) => {
    setTyped('')
    setHurried(null)
    setOpen(false)
    setPicked(null)
    if ('screen' in meaning) navigate(pathOf(meaning.screen))
    else onFilters(meaning.filters)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const meaning = meanings[chosen]
    // An id of ours is sure before the service has said anything.
    if (matches === null && picked === null && !(meaning && 'screen' in meaning)) setHurried(typed)
    else go(meaning ?? understand(typed, locale))
  }
  useEffect(() => {
    if (hurried !== null && hurried === typed && matches !== null) go(meanings[0] ?? understand(typed, locale))
  })
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && meanings.length > 0) {
      event.preventDefault()
      setOpen(true)
      setPicked(wordsOf(meanings[(chosen + step + meanings.length) % meanings.length]!))
    }
    if (event.key === 'Escape') setOpen(false)
  }
  return (
    <search>
      <form className="search" onSubmit={submit} onBlur={() => setOpen(false)}>
        <Icon name="search" />
        <input
          type="search"
          data-key="/"
          aria-label={say('search_payments')}
          aria-autocomplete="list"
          aria-controls={is_listed ? id : undefined}
          aria-activedescendant={is_listed ? `${id}-${chosen}` : undefined}
          placeholder={say('search_hint')}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onKeyDown={onKey}
          onChange={({ target }) => {
            setTyped(target.value)
            setHurried(null)
            setPicked(null)
            setOpen(true)
          }}
        />
        {is_listed && (
          <div role="listbox" id={id} aria-label={say('search_matches')} className="menu choices">
            {meanings.map((meaning, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              <div
                key={wordsOf(meaning)}
                role="option"
                id={`${id}-${index}`}
                tabIndex={-1}
                aria-selected={index === chosen}
                className="menu-item"
                data-focused={index === chosen || undefined}
                // The field keeps the focus, which closes the list when it leaves.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => go(meaning)}
              >
                {wordsOf(meaning)}
              </div>
            ))}
          </div>
        )}
      </form>
    </search>
  )
}

const nothing: Matches = { order_references: [], customer_emails: [], payment_ids: [] }

/** What there is of the text, once somebody pauses, or at once where they wait for it; null until that is known. */
function useMatches(typed: string, is_waited_for: boolean): Matches | null {
  const { merchant_id, mode } = useHere()
  const text = typed.trim()
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), is_waited_for ? 0 : pause_ms)
    return () => clearTimeout(timer)
  }, [text, is_waited_for])
  const is_short = text.length < 2
  const { data, failureCount } = useAnswer(
    'GET /{merchant_id}/beginnings',
    { merchant_id, query: { mode, text: settled } },
    { is_wanted: settled.length > 1 },
  )
  if (is_short) return nothing
  if (settled !== text) return null
  // Nobody waits for a second try.
  return data ?? (failureCount > 0 ? nothing : null)
}

function wordsOf(meaning: Understood): string {
  return 'screen' in meaning ? say('find', { text: meaning.text }) : filtersWords(meaning.filters)
}
