// Keeps a field formatted while the shopper types, and the caret where the shopper left it.

import { deleteOverGap, type FieldInput } from './digits.ts'

export type Format = (typed: FieldInput, deleting: boolean) => FieldInput

/** `typed` is called after every change by the shopper or the browser. */
export function followTyping(input: HTMLInputElement, format: Format | null, typed: () => void) {
  input.addEventListener('beforeinput', (event) => {
    const forward = event.inputType === 'deleteContentForward'
    if (!format || input.readOnly || input.selectionStart !== input.selectionEnd) return
    if (!forward && event.inputType !== 'deleteContentBackward') return
    const left = deleteOverGap(typedIn(input), forward)
    // The deletions of some keyboards cannot be prevented. They only step over the gap.
    if (!left || !event.cancelable) return
    event.preventDefault()
    show(input, format(left, true))
    typed()
  })
  input.addEventListener('input', (event) => {
    const { inputType = '', isComposing = false } = event as InputEvent
    if (format && !isComposing) show(input, format(typedIn(input), inputType.startsWith('delete')))
    typed()
  })
  input.addEventListener('compositionend', () => {
    if (format) show(input, format(typedIn(input), false))
    typed()
  })
}

function typedIn({ value, selectionStart }: HTMLInputElement): FieldInput {
  return { value, caret: selectionStart ?? value.length }
}

function show(input: HTMLInputElement, { value, caret }: FieldInput) {
  if (input.value !== value) input.value = value
  // If the field has no focus, some browsers would give it the focus.
  if (document.activeElement === input) input.setSelectionRange(caret, caret)
}
