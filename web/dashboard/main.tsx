// The merchant's dashboard: what its script does first, and its root.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startActivity } from './client/activity.ts'
import { takeLink } from './sign-in/link.ts'
import { startTheme } from './theme.ts'

startTheme()
// Before anything else could read the address: the fragment holds a secret.
const link = takeLink()
startActivity()

if (document.readyState === 'loading') {
  document.addEventListener('DOMContentLoaded', start, { once: true })
} else start()

function start(): void {
  quietPressables()
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App link={link} />
    </StrictMode>,
  )
}

/** React Aria would write a style element of this id, which the policy refuses. Our style sheet has the rule. */
function quietPressables(): void {
  const mark = document.createElement('meta')
  mark.id = 'react-aria-pressable-style'
  document.head.append(mark)
}
