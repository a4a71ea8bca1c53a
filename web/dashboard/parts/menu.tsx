// A button that opens a menu. An arrow on it says so.

import type { ReactNode } from 'react'
import { Button as AriaButton, Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Icon } from './icon.tsx'

export type MenuAct = { id: string; text: string; act(): void }

export function Menu({
  label,
  look = 'quiet',
  size,
  children,
  acts,
}: {
  /** The button's name, where its content does not say it. */
  label?: string
  look?: 'quiet' | 'plain'
  size?: 'small'
  children: ReactNode
  acts: MenuAct[]
}) {
  return (
    <MenuTrigger>
      <AriaButton className={['button', look, size].filter(Boolean).join(' ')} aria-label={label}>
        {children}
        <Icon name="chevron" />
      </AriaButton>
      <Popover className="popover" placement="bottom end" offset={6}>
        <AriaMenu className="menu" onAction={(key) => acts.find(({ id }) => id === key)?.act()} aria-label={label}>
          {acts.map(({ id, text }) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={text}>
              {text}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
