// A form that says what the service refused: at the field that the refusal names, which takes the focus, else at its head.

import {
  createContext,
  type FormHTMLAttributes,
  type ReactNode,
  type Ref,
  type RefObject,
  useContext,
  useLayoutEffect,
  useState,
} from 'react'
import type { Refused } from '../client/refused.ts'
import { RefusalAlert } from './alert.tsx'

/** `claims` has an entry for each field that shows the refusal. */
type Refusal = { refused: Refused | null; claims: Set<object> }

const RefusalContext = createContext<Refusal | null>(null)

type FormProps = FormHTMLAttributes<HTMLFormElement> & {
  refused: Refused | null
  ref?: Ref<HTMLFormElement>
  children: ReactNode
}

export function Form({ refused, className = 'form', children, ...form }: FormProps) {
  const [claims] = useState(() => new Set<object>())
  const [is_at_head, setAtHead] = useState(false)
  // The fields' own effects have run before, so that the head never says for a moment what a field says.
  useLayoutEffect(() => setAtHead(refused !== null && claims.size === 0))
  return (
    <RefusalContext value={{ refused, claims }}>
      <form {...form} className={className}>
        <RefusalAlert refused={is_at_head ? refused : null} />
        {children}
      </form>
    </RefusalContext>
  )
}

/**
 * The form's refusal where it is about one of these members of the request. Then the first field in `place` takes the focus, out of a
 * part of the form that is folded away, too.
 */
export function useRefusalAt(members: readonly string[], place: RefObject<HTMLElement | null>): Refused | null {
  const { refused, claims } = useContext(RefusalContext) ?? {}
  const here = refused && members.some((member) => isAt(refused.field, member)) ? refused : null
  useLayoutEffect(() => {
    if (!here || !claims) return
    const claim = {}
    claims.add(claim)
    focusIn(place.current)
    return () => {
      claims.delete(claim)
    }
  }, [here, claims, place])
  return here
}

/** `allowed_origins[2]` is at `allowed_origins`. */
function isAt(field: string | null, member: string): boolean {
  if (field === null || !field.startsWith(member)) return false
  return field.length === member.length || '.['.includes(field[member.length]!)
}

function focusIn(place: HTMLElement | null): void {
  for (let each = place?.closest('details'); each; each = each.parentElement?.closest('details')) {
    each.open = true
  }
  const fields = 'input, select, textarea'
  const field = place?.matches(fields) ? place : place?.querySelector<HTMLElement>(fields)
  field?.focus()
}
