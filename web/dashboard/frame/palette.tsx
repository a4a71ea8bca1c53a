// Ctrl K or ⌘ K: goes to a screen by its name, or to a payment by whatever is known of it.

import { useEffect, useId, useState } from 'react'
import { usePlace } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, isDialogOpen } from '../parts/dialog.tsx'
import { type Choice, useChoices } from '../payments/use-choices.ts'
import { say, type WordKey } from '../words.ts'
import { screensOf } from './screen-names.ts'

export function Palette() {
  const [is_open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      // Another dialog may hold a secret that is shown once, a decision, or the lock.
      setOpen((before) => !before && !isDialogOpen())
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <Button
        look="plain"
        icon="search"
        aria-label={say('go_to')}
        title={say('go_to_keys')}
        onClick={() => setOpen(true)}
      />
      {is_open && <PaletteDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function PaletteDialog({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const id = useId()
  const namesOf = (text: string) => screensCalled(text, screensOf(place))
  const { typed, type, choices, chosen, go, submit, onArrow, closed_words } = useChoices({ namesOf, onGo: onClose })
  return (
    <Dialog title={say('go_to')} onClose={onClose}>
      <input
        role="combobox"
        aria-label={say('go_to_hint')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={choices[chosen] && `${id}-${chosen}`}
        placeholder={say('go_to_hint')}
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={typed}
        onKeyDown={(event) => {
          onArrow(event)
          // While a Japanese word is being composed, Enter ends the word.
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) submit()
        }}
        onChange={({ target }) => type(target.value)}
      />
      <div role="listbox" id={id} aria-label={say('go_to')} className="menu">
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
            onClick={() => go(choice)}
          >
            {choice.words}
          </div>
        ))}
      </div>
      {closed_words && (
        <p className="hint" role="status">
          {closed_words}
        </p>
      )}
    </Dialog>
  )
}

/** All of them for an empty text. */
function screensCalled(text: string, screens: readonly string[]): Choice[] {
  const part = text.toLocaleLowerCase()
  return [...screens, 'account']
    .map((screen) => ({
      screen,
      words: screen === 'account' ? say('my_account') : say(`nav_${screen}` as WordKey),
      is_sure: true,
    }))
    .filter(({ words }) => words.toLocaleLowerCase().includes(part))
}
