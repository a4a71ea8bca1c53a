// One box that understands what is typed into it. Below it stands what there is of the text, and then what else it may mean.

import { useId, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { say } from '../words.ts'
import { useChoices } from './use-choices.ts'

export function SearchBox() {
  const [is_open, setOpen] = useState(false)
  const id = useId()
  const { typed, type, choices, chosen, go, submit, onArrow, closed_words } = useChoices({ onGo: () => setOpen(false) })
  const is_listed = is_open && choices.length > 0
  return (
    <search>
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        onBlur={() => setOpen(false)}
      >
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
          onKeyDown={(event) => {
            if (onArrow(event)) setOpen(true)
            if (event.key === 'Escape') setOpen(false)
          }}
          onChange={({ target }) => {
            type(target.value)
            setOpen(true)
          }}
        />
        {is_listed && (
          <div role="listbox" id={id} aria-label={say('search_matches')} className="menu choices">
            {choices.map((choice, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              <div
                key={choice.words}
                role="option"
                id={`${id}-${index}`}
                tabIndex={-1}
                aria-selected={index === chosen}
                className="menu-item"
                data-focused={index === chosen || undefined}
                // The field keeps the focus, which closes the list when it leaves.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => go(choice)}
              >
                {choice.words}
              </div>
            ))}
          </div>
        )}
      </form>
      {closed_words && (
        <p className="hint" role="status">
          {closed_words}
        </p>
      )}
    </search>
  )
}
