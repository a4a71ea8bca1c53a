// Buttons: what they weigh, and that they wait while something is under way.

import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & {
  look?: 'primary' | 'quiet' | 'danger' | 'plain'
  size?: 'small' | 'wide'
  icon?: IconName
  /** Shown but not to be pressed again. The focus stays, which `disabled` would drop. */
  is_busy?: boolean
  /** A single key that presses it. */
  'data-key'?: string | undefined
  children?: ReactNode
}

export function Button({ look = 'quiet', size, icon, is_busy = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={['button', look, size].filter(Boolean).join(' ')}
      aria-busy={is_busy || undefined}
      aria-disabled={is_busy || undefined}
      onClick={(event) => (is_busy ? event.preventDefault() : onClick?.(event))}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
