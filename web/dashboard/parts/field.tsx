// Fields of forms: a label above, a hint or a fault below, the browser's own input between.

import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from 'react'

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & {
  label: string
  hint?: ReactNode
  fault?: string | null
}

export function Field({ label, hint, fault, ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={fault ? true : undefined}
        aria-describedby={hint || fault ? `${id}-hint` : undefined}
      />
      <FieldNote id={`${id}-hint`} hint={hint} fault={fault} />
    </div>
  )
}

type ChoiceProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> & {
  label: string
  hint?: ReactNode
  options: { value: string; text: string }[]
}

export function Choice({ label, hint, options, ...select }: ChoiceProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} aria-describedby={hint ? `${id}-hint` : undefined}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <FieldNote id={`${id}-hint`} hint={hint} />
    </div>
  )
}

type TickProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> & {
  label: ReactNode
  hint?: ReactNode
}

export function Tick({ label, hint, ...input }: TickProps) {
  const id = useId()
  return (
    <div className="tick">
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <label htmlFor={id}>{label}</label>
      <FieldNote id={`${id}-hint`} hint={hint} />
    </div>
  )
}

function FieldNote({ id, hint, fault }: { id: string; hint?: ReactNode; fault?: string | null }) {
  if (!hint && !fault) return null
  return (
    <p id={id} className={fault ? 'fault' : 'hint'} role={fault ? 'alert' : undefined}>
      {fault ?? hint}
    </p>
  )
}

/** What a form's fields hold, as texts. */
export function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  )
}
