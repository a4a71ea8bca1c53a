// Light or dark, by the system or as the person chose. A choice is in the document from its first byte on.

import { keep } from './kept.ts'
import { newStore } from './store.ts'

export type Theme = 'auto' | 'light' | 'dark'

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

export const themeStore = newStore<Theme>(chosen())

export function startTheme(): void {
  apply()
  themeStore.follow(apply)
  prefersDark.addEventListener('change', apply)
}

export function chooseTheme(theme: Theme): void {
  keep('ripper-theme', theme === 'auto' ? '' : theme)
  themeStore.write(theme)
}

function apply(): void {
  const theme = themeStore.read()
  const is_dark = theme === 'auto' ? prefersDark.matches : theme === 'dark'
  document.documentElement.dataset.theme = is_dark ? 'dark' : 'light'
}

function chosen(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'auto'
}
