// One box that understands what is typed into it.

import { type FormEvent, useRef } from 'react'
import { useLocation } from 'wouter'
import { useHere } from '../merchant.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../words.ts'
import { type Filters, understand } from './search.ts'

export function SearchBox({ onFilters }: { onFilters: (filters: Filters) => void }) {
  const { pathOf } = useHere()
  const [, navigate] = useLocation()
  const box = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = understand(box.current?.value ?? '')
    if ('screen' in found) return navigate(pathOf(found.screen))
    onFilters(found.filters)
    if (box.current) box.current.value = ''
  }
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          data-key="/"
          aria-label={say('search_payments')}
          placeholder={say('search_hint')}
          autoComplete="off"
          spellCheck={false}
        />
      </form>
    </search>
  )
}
