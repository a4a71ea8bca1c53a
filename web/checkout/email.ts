// The email field, for sessions without an email. Its value outlives a reload, such as one for the bank's check.

import { element } from '../shared/element.ts'
import { isEmail } from '../shared/email.ts'
import { say, type Words } from '../shared/words.ts'
import { readItem, saveItem } from './tab-storage.ts'

export type EmailField = {
  element: HTMLElement
  /** The address. Null if it is missing or wrong; the field then says so and gets the focus. */
  read(): string | null
  complain(key: string): null
}

/** `place` is where the address is kept. */
export function drawEmail(words: Words, place: string): EmailField {
  const fault = element('p', { id: 'fault', class: 'fault' })
  const input = element('input', {
    id: 'email',
    type: 'email',
    autocomplete: 'email',
    required: '',
    dir: 'ltr',
    'aria-describedby': 'fault hint',
  })
  input.value = readItem(place) ?? ''
  input.oninput = () => mark('')
  function mark(key: string): void {
    fault.textContent = key && say(words, key)
    input.ariaInvalid = String(!!key)
  }
  function complain(key: string): null {
    mark(key)
    input.focus()
    return null
  }
  return {
    element: element(
      'div',
      { class: 'aside' },
      element('label', { for: 'email' }, say(words, 'email')),
      input,
      element('p', { id: 'hint', class: 'hint' }, say(words, 'email_hint')),
      fault,
    ),
    read() {
      const address = input.value.trim()
      if (!isEmail(address)) return complain(address ? 'email_wrong' : 'email_missing')
      saveItem(place, address)
      return address
    },
    complain,
  }
}
