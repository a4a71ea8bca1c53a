// Draws the four fields: labels, hints, faults and marks. It does not check their values.

import { element } from '../shared/element.ts'
import type { Field } from '../shared/protocol.ts'
import { say, type Words } from '../shared/words.ts'
import { brandMark, brandNames, codeMark } from './marks.ts'
import { name_length_max } from './name.ts'

export const fieldNames = ['number', 'expiry', 'code', 'name'] as const satisfies Field[]

export type Fields = ReturnType<typeof drawFields>

/** `brands` are those that are accepted here. */
export function drawFields(root: HTMLElement, words: Words, brands: readonly string[]) {
  const digits = { inputmode: 'numeric', dir: 'ltr', 'aria-required': 'true' }
  const drawn: Record<Field, FieldElements> = {
    number: drawField(words, 'number', 'cardnumber', { autocomplete: 'cc-number', ...digits }),
    expiry: drawField(words, 'expiry', 'exp-date', { autocomplete: 'cc-exp', ...digits }),
    code: drawField(words, 'code', 'cvc', { autocomplete: 'cc-csc', ...digits }),
    name: drawField(words, 'name', 'ccname', {
      autocomplete: 'cc-name',
      maxlength: String(name_length_max),
    }),
  }
  // Enter does not send a form that has no button.
  const send = element('button', { type: 'submit', hidden: '' })
  const all = fieldNames.map((field) => drawn[field].whole)
  const form = element('form', { 'aria-label': say(words, 'card_details') }, ...all, send)
  form.noValidate = true
  const spoken = { role: 'log', 'aria-live': 'polite', 'aria-atomic': 'true' }
  const log = element('div', { class: 'unseen', ...spoken })
  drawn.expiry.hint.append(say(words, 'expiry_hint'))
  drawn.name.hint.append(say(words, 'optional'))
  root.append(form, log)

  return {
    form,
    inputs: inputsOf(drawn),

    /** `fault` is a key of the words. */
    showFault(field: Field, fault: string | null) {
      const { input, place } = drawn[field]
      input.setAttribute('aria-invalid', String(fault !== null))
      place.textContent = fault === null ? '' : say(words, fault)
    },

    /** Has screen readers read new faults. It clears nothing, so each fault is read once. */
    announce(faults: { field: Field; code: string }[]) {
      const texts = faults.map(({ field, code }) => `${say(words, field)}: ${say(words, code)}`)
      log.textContent = texts.join(' ')
    },

    /** The badge of the brand if it is accepted here, else all badges. */
    showBrand(brand: string | null) {
      const known = brand !== null && brands.includes(brand)
      const shown = known ? [brand] : brands
      const names = shown.map((each) => brandNames[each] ?? each).join(', ')
      const { mark } = drawn.number
      mark.replaceChildren(
        ...shown.map(brandMark).filter((badge) => badge !== null),
        element('span', { class: 'unseen' }, names),
      )
      mark.classList.toggle('known', known)
    },

    showCodeLength(length: 3 | 4) {
      drawn.code.mark.replaceChildren(codeMark(length))
      drawn.code.hint.textContent = say(words, `code_hint_${length}`)
    },

    /** Locked fields keep the focus and can be read. */
    lock(locked: boolean) {
      form.setAttribute('aria-busy', String(locked))
      for (const field of fieldNames) drawn[field].input.readOnly = locked
    },
  }
}

function inputsOf({ number, expiry, code, name }: Record<Field, FieldElements>) {
  return { number: number.input, expiry: expiry.input, code: code.input, name: name.input }
}

type FieldElements = {
  whole: HTMLElement
  input: HTMLInputElement
  mark: HTMLElement
  hint: HTMLElement
  place: HTMLElement
}

function drawField(words: Words, field: Field, name: string, attributes: Record<string, string>): FieldElements {
  const parts = { mark: `${field}-mark`, hint: `${field}-hint`, fault: `${field}-fault` }
  const input = element('input', {
    type: 'text',
    id: field,
    name,
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    'aria-invalid': 'false',
    'aria-describedby': Object.values(parts).join(' '),
    ...attributes,
  })
  const mark = element('span', { class: 'mark', id: parts.mark })
  const hint = element('p', { class: 'hint', id: parts.hint })
  const place = element('p', { class: 'fault', id: parts.fault })
  const label = element('label', { for: field }, say(words, field))
  const box = element('div', { class: 'box' }, input, mark)
  const beside = field === 'name' ? ' aside' : ''
  const whole = element('div', { class: `field ${field}${beside}` }, label, box, hint, place)
  return { whole, input, mark, hint, place }
}
