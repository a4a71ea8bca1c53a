// One box that understands what is typed into it. Below it stand the other meanings, and what begins with the text.

import { type FormEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { locale, say } from '../words.ts'
import { filtersWords } from './filter-words.ts'
import type { Filters } from './filters.ts'
import { meaningsOf, type Understood, understand } from './search.ts'

/** How long somebody must pause before the service is asked what begins so. */
const pause_ms = 200

export function SearchBox({ onFilters }: { onFilters: (filters: Filters) => void }) {
  const { pathOf } = useHere()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const [is_open, setOpen] = useState(false)
  const id = useId()
  const begun = useBeginnings(typed)
  const meanings = choicesFrom(meaningsOf(typed, locale), begun)
  const is_listed = is_open && meanings.length > 0
  const go = (meaning: Understood) => {
    setTyped('')
    setOpen(false)
    setChosen(0)
    if ('screen' in meaning) navigate(pathOf(meaning.screen))
    else onFilters(meaning.filters)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    go((is_listed && meanings[chosen]) || understand(typed, locale))
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && meanings.length > 0) {
      event.preventDefault()
      setOpen(true)
      setChosen((chosen + step + meanings.length) % meanings.length)
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
            setChosen(0)
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

/** Orders and e-mails that begin with what is typed, once somebody pauses. */
function useBeginnings(typed: string): Filters[] {
  const { merchant_id, mode } = useHere()
  const text = typed.trim()
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause_ms)
    return () => clearTimeout(timer)
  }, [text])
  const answer = useAnswer(
    'GET /{merchant_id}/beginnings',
    { merchant_id, query: { mode, text: settled } },
    { is_wanted: settled.length > 1 },
  )
  if (settled !== text || settled.length < 2 || !answer.data) return []
  return [
    ...answer.data.order_references.map((order_reference) => ({ order_reference })),
    ...answer.data.customer_emails.map((customer_email) => ({ customer_email })),
  ]
}

/** Each once, the likeliest first. */
function choicesFrom(meanings: Understood[], begun: Filters[]): Understood[] {
  const all = [...meanings, ...begun.map((filters) => ({ filters }))]
  const texts = all.map(wordsOf)
  return all.filter((_, index) => texts.indexOf(texts[index]!) === index)
}

function wordsOf(meaning: Understood): string {
  return 'screen' in meaning
    ? say('find', { text: meaning.screen.split(/[/=]/).at(-1)! })
    : filtersWords(meaning.filters)
}
