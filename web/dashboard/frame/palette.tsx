// Ctrl K or ⌘ K: goes to a screen by its name, or to a payment by whatever is known of it.

import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { usePlace } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, isDialogOpen } from '../parts/dialog.tsx'
import { screenFor, understand } from '../payments/search.ts'
import { locale, say, type WordKey } from '../words.ts'
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
  const { pathOf } = place
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const places = placesFor(typed, screensOf(place))
  const go = (place: Place | undefined) => {
    if (!place) return
    onClose()
    navigate(pathOf(place.screen))
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((chosen + step + places.length) % Math.max(1, places.length))
    }
    // While a Japanese word is being composed, Enter ends the word.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) go(places[chosen])
  }
  return (
    <Dialog title={say('go_to')} onClose={onClose}>
      <input
        role="combobox"
        aria-label={say('go_to_hint')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={places[chosen] && `${id}-${chosen}`}
        placeholder={say('go_to_hint')}
        autoComplete="off"
        autoFocus
        value={typed}
        onKeyDown={onKey}
        onChange={({ target }) => {
          setTyped(target.value)
          setChosen(0)
        }}
      />
      <div role="listbox" id={id} aria-label={say('go_to')} className="menu">
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={place.screen}
            role="option"
            id={`${id}-${index}`}
            tabIndex={-1}
            aria-selected={index === chosen}
            className="menu-item"
            data-focused={index === chosen || undefined}
            onClick={() => go(place)}
          >
            {place.text}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

type Place = { screen: string; text: string }

function placesFor(typed: string, screens: readonly string[]): Place[] {
  const text = typed.trim().toLocaleLowerCase()
  const named = [...screens, 'account']
    .map((screen) => ({
      screen,
      text: screen === 'account' ? say('my_account') : say(`nav_${screen}` as WordKey),
    }))
    .filter((place) => place.text.toLocaleLowerCase().includes(text))
  if (text === '' || named.length > 0 || !screens.includes('payments')) return named
  const screen = screenFor(understand(typed, locale))
  return [{ screen, text: say('find', { text: typed.trim() }) }]
}
