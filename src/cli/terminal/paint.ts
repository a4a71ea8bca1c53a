// Colours for terminals. There are none if the output is piped or NO_COLOR is set.

import { styleText } from 'node:util'
import { terminal } from './terminal.ts'

export type Style = Parameters<typeof styleText>[0]

/** Text for standard output. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: terminal().stdout })
}

/** The word before a failure's message on standard error. */
export function paintError(text: string): string {
  return styleText('red', text, { stream: terminal().stderr })
}

const styles: Record<string, Style> = {
  succeeded: 'green',
  captured: 'green',
  usable: 'green',
  active: 'green',
  ok: 'green',
  failed: 'yellow',
  pending: 'yellow',
  pending_review: 'yellow',
  escalated: 'yellow',
  dead_lettered: 'red',
  declined: 'red',
  WARNING: 'yellow',
  PROBLEM: 'red',
  revoked: 'dim',
  expired: 'dim',
  disabled: 'dim',
  suspended: 'red',
}

/** The word for a state, in a colour that shows whether the state is good. */
export function paintState(word: string): string {
  const style = Object.hasOwn(styles, word) ? styles[word] : undefined
  return style === undefined ? word : paint(style, word)
}
