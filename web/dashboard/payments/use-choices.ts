// What a search box offers for the text in it: what there is of the text, and then what else it may mean. The box of the payments and
// the one of the frame share it, so that both find the same.

import { type KeyboardEvent, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../client/query.ts'
import { opens, type ScreenName } from '../frame/screen-names.ts'
import { screenOfSecret } from '../frame/screen-of-id.ts'
import { carrySecret } from '../keys/key-secret.ts'
import { usePlace } from '../merchant.ts'
import { locale, say, sayCode } from '../words.ts'
import { filtersWords } from './filter-words.ts'
import { choicesOf, type Matches, screenFor, textOf, type Understood } from './search.ts'

/** `is_sure`: it may be gone to before the service has said what there is of the text. */
export type Choice = { screen: string; words: string; is_sure: boolean }

/** How long somebody must pause before the service is asked what there is of the text. */
const pause_ms = 200

/** `namesOf` gives choices that stand in place of all others. `onGo` is told before the page goes on. */
export function useChoices({ namesOf, onGo }: { namesOf?: (text: string) => Choice[]; onGo: () => void }) {
  const place = usePlace()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  /** The words of the choice that the arrows went to: what comes later may stand before it. */
  const [picked, setPicked] = useState<string | null>(null)
  /** The text at which somebody pressed Enter before the service had said what there is of it. */
  const [hurried, setHurried] = useState<string | null>(null)
  const may_search = place.membership !== null && opens(place, 'payments')
  const names = namesOf?.(textOf(typed)) ?? []
  const is_searched = may_search && names.length === 0
  const matches = useMatches(is_searched ? textOf(typed) : '', hurried !== null)
  const reader = { locale, opens: (screen: ScreenName) => opens(place, screen) }
  const meanings = is_searched ? choicesOf(typed, reader, matches ?? nothing) : []
  const choices = [...names, ...meanings.map(newChoice)]
  const chosen = Math.max(
    0,
    choices.findIndex(({ words }) => words === picked),
  )
  const type = (text: string) => {
    setTyped(text)
    setHurried(null)
    setPicked(null)
  }
  const go = ({ screen }: Pick<Choice, 'screen'>) => {
    carrySecret(typed)
    type('')
    onGo()
    navigate(place.pathOf(screen))
  }
  /** Without a text, Enter shows all payments. */
  const submit = () => {
    const choice = choices[chosen] ?? (typed.trim() === '' ? { screen: 'payments', is_sure: true } : null)
    if (matches === null && picked === null && !choice?.is_sure) setHurried(typed)
    else if (choice) go(choice)
  }
  useEffect(() => {
    if (hurried === null || hurried !== typed || matches === null) return
    if (choices[0]) go(choices[0])
    else setHurried(null)
  })
  /** Returns whether the key was an arrow. */
  const onArrow = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || choices.length === 0) return false
    event.preventDefault()
    setPicked(choices[(chosen + step + choices.length) % choices.length]!.words)
    return true
  }
  /** Why nothing is offered for a text that names something. */
  const closed_words =
    choices.length === 0 && matches !== null && typed.trim() !== '' && place.membership
      ? say('names_nothing_for_role', { role: sayCode('role', place.membership.role) })
      : null
  return { typed, type, choices, chosen, go, submit, onArrow, closed_words }
}

const nothing: Matches = { order_references: [], customer_emails: [], payment_ids: [], session_ids: [] }

/** What there is of the text, once somebody pauses, or at once where they wait for it; null until that is known. */
function useMatches(text: string, is_waited_for: boolean): Matches | null {
  const place = usePlace()
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), is_waited_for ? 0 : pause_ms)
    return () => clearTimeout(timer)
  }, [text, is_waited_for])
  const isSearchable = (of: string) => place.membership !== null && of.length > 1 && screenOfSecret(of) === null
  const { data, failureCount } = useAnswer(
    'GET /{merchant_id}/beginnings',
    place.membership
      ? { merchant_id: place.merchant_id, query: { mode: place.mode, text: settled } }
      : { merchant_id: '', query: { mode: 'test', text: '' } },
    { is_wanted: isSearchable(settled) },
  )
  if (!isSearchable(text)) return nothing
  if (settled !== text) return null
  // Nobody waits for a second try.
  return data ?? (failureCount > 0 ? nothing : null)
}

function newChoice(meaning: Understood): Choice {
  const screen = screenFor(meaning)
  // A request may have been a shopper's: then its session comes first.
  return { screen, words: wordsOf(meaning), is_sure: !('filters' in meaning || screen.startsWith('requests')) }
}

function wordsOf(meaning: Understood): string {
  if ('session_id' in meaning) return say('find_session')
  if ('secret_of' in meaning) return say(meaning.secret_of === 'keys' ? 'find_secret_key' : 'find_webhook_secret')
  return 'screen' in meaning ? say('find', { text: meaning.text }) : filtersWords(meaning.filters)
}
