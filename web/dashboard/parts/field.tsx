// Fields of forms: a label above, a hint or a fault below, the browser's own input between. What the service refused stands at the
// field whose member of the request it names.

import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useRef,
} from 'react'
import type { Refused } from '../client/refused.ts'
import { RefusalDetails } from './alert.tsx'
import { useRefusalAt } from './form.tsx'
import { refusalWords } from './refusal-words.ts'

type Note = {
  /** The member of the request that the field becomes, where it is not called like the field. */
  member?: string
  hint?: ReactNode
}

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & Note & { label: string; fault?: string | null }

export function Field({ label, hint, fault, member, ...input }: FieldProps) {
  const { note, ...control } = useNote<HTMLInputElement>({ member: member ?? input.name, hint, fault })
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      <input {...input} {...control} />
      {note}
    </div>
  )
}

type TextFieldProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> & Note & { label: string }

/** Of several lines. */
export function TextField({ label, hint, member, ...area }: TextFieldProps) {
  const { note, ...control } = useNote<HTMLTextAreaElement>({ member: member ?? area.name, hint })
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      <textarea {...area} {...control} />
      {note}
    </div>
  )
}

type ChoiceProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> &
  Note & { label: string; options: { value: string; text: string }[] }

export function Choice({ label, hint, member, options, ...select }: ChoiceProps) {
  const { note, ...control } = useNote<HTMLSelectElement>({ member: member ?? select.name, hint })
  return (
    <div className="field">
      <label htmlFor={control.id}>{label}</label>
      <select {...select} {...control}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {note}
    </div>
  )
}

type TickProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> & Note & { label: ReactNode }

export function Tick({ label, hint, member, ...input }: TickProps) {
  const { note, ...control } = useNote<HTMLInputElement>({ member: member ?? input.name, hint })
  return (
    <div className="tick">
      <input {...input} {...control} type="checkbox" />
      <label htmlFor={control.id}>{label}</label>
      {note}
    </div>
  )
}

/** Ticks that together become members of the request. */
export function Ticks({
  label,
  members,
  hint,
  fault = null,
  children,
}: {
  label: string
  members: readonly string[]
  hint?: ReactNode
  fault?: string | null
  children: ReactNode
}) {
  const id = useId()
  const place = useRef<HTMLFieldSetElement>(null)
  const refused = useRefusalAt(members, place)
  const words = fault ?? (refused && refusalWords(refused))
  return (
    <fieldset ref={place} className="ticks" aria-describedby={words ? id : undefined}>
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {children}
      <FieldNote id={id} fault={words} refused={refused} />
    </fieldset>
  )
}

/** What a control has of its field's note, and the note. */
function useNote<Control extends HTMLElement>({ member, hint, fault }: Note & { fault?: string | null }) {
  const id = useId()
  const ref = useRef<Control>(null)
  const refused = useRefusalAt(member === undefined ? [] : [member], ref)
  const words = fault ?? (refused && refusalWords(refused))
  return {
    id,
    ref,
    'aria-invalid': words ? true : undefined,
    'aria-describedby': hint || words ? `${id}-hint` : undefined,
    note: <FieldNote id={`${id}-hint`} hint={hint} fault={words} refused={refused} />,
  }
}

function FieldNote({
  id,
  hint,
  fault,
  refused,
}: {
  id: string
  hint?: ReactNode
  fault: string | null
  refused: Refused | null
}) {
  if (!hint && !fault) return null
  return (
    <>
      <p id={id} className={fault ? 'fault' : 'hint'} role={fault ? 'alert' : undefined}>
        {fault ?? hint}
      </p>
      {refused && <RefusalDetails refused={refused} />}
    </>
  )
}

/** What a form's fields hold, as texts. */
export function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  )
}
