// The box above a list: what is typed goes on when Enter is pressed, and the box is empty again.

import { type FormEvent, useState } from 'react'
import { carrySecret } from '../keys/key-secret.ts'
import { textOf } from '../payments/search.ts'
import { Icon } from './icon.tsx'

export function SearchForm({
  label,
  hint,
  onSearch,
}: {
  label: string
  hint: string
  onSearch: (text: string) => void
}) {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTyped('')
    carrySecret(typed)
    onSearch(textOf(typed))
  }
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          type="search"
          data-key="/"
          aria-label={label}
          placeholder={hint}
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
