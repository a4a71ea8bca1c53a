// Single keys: what each does on the page that is shown. They rest while somebody types, and while a dialog is open.

import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { usePlace } from '../merchant.ts'
import { isDialogOpen } from '../parts/dialog.tsx'
import { newStore } from '../store.ts'
import { opens } from './screen-names.ts'
import { letters } from './shortcut-keys.ts'

const kept_as = 'ripper-dashboard-single-keys'

/** Whether single keys work: people who speak to their browser may switch them off. */
export const shortcutsStore = newStore(readKept())

/** Whether the list of keys is open. */
export const shortcutListStore = newStore(false)

export function keepShortcuts(is_on: boolean): void {
  try {
    localStorage.setItem(kept_as, is_on ? 'on' : 'off')
  } catch {
    // It holds as long as the page is open.
  }
  shortcutsStore.write(is_on)
}

/** Two keys of one shortcut may be this far apart. */
const pair_ms = 1_500

export function useShortcuts(): void {
  const place = usePlace()
  const [, navigate] = useLocation()
  useEffect(() => {
    let pressed_g_at = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      const { key, timeStamp } = event
      const is_after_g = timeStamp - pressed_g_at < pair_ms
      pressed_g_at = Number.NEGATIVE_INFINITY
      if (!shortcutsStore.read()) return
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return
      const screen = is_after_g ? letters[key] : undefined
      if (screen && opens(place, screen)) navigate(place.pathOf(screen))
      else if (key === 'g') pressed_g_at = timeStamp
      else if (key === '?') shortcutListStore.write(true)
      else if (!actHere(key)) return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, place])
}

/** Whether the key is typed into a field or a menu, or belongs to a dialog. */
function isElsewhere(target: EventTarget | null): boolean {
  const is_typed =
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), select, textarea, [role=menu] *')
  return is_typed || isDialogOpen() || document.querySelector('[role=menu]') !== null
}

/** False where the key means nothing on this page. */
function actHere(key: string): boolean {
  if (key === 'j' || key === 'k') return moveBy(key === 'j' ? 1 : -1)
  const found = findFor(key)
  if (found instanceof HTMLInputElement && found.type === 'search') found.focus()
  else found?.click()
  return found !== null
}

/** Goes from row to row; the first one where none has the focus. */
function moveBy(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('main a.row-link')]
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  links[at < 0 ? 0 : at + step]?.focus()
  return links.length > 0
}

/** What the key presses: in the row that has the focus, else the only one of the page. */
function findFor(key: string): HTMLElement | null {
  const row = document.activeElement?.closest('main tr')
  const all = (row ?? document).querySelectorAll<HTMLElement>(`main [data-key="${CSS.escape(key)}"]`)
  return all.length === 1 ? all[0]! : null
}

function readKept(): boolean {
  try {
    return localStorage.getItem(kept_as) !== 'off'
  } catch {
    return true
  }
}
