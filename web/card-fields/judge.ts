// Checks the values of the fields, and shows each fault from the moment it is certain until it is corrected.

import type { Fault, FaultCode, Field } from '../shared/protocol.ts'
import { isNumberWhole, numberFault } from './card-number.ts'
import { codeFault, codeLengths } from './code.ts'
import { expiryFault, isExpiryWhole } from './expiry.ts'
import { type Fields, fieldNames } from './fields.ts'
import { nameFault } from './name.ts'
import { faultOnBlur, faultWhileTyping } from './shown-faults.ts'

export type Judge = ReturnType<typeof judge>

/** `brands` are those that are accepted here. */
export function judge(fields: Fields, { brands, now }: { brands: readonly string[]; now(): Date }) {
  const { inputs } = fields
  const shown = new Map<Field, FaultCode>()
  /** The service's refusals of values that are still in a field. */
  let refused: Fault | null = null

  function faultOf(field: Field): FaultCode | null {
    const fault = rules[field](inputs[field].value, {
      brands,
      now: now(),
      number: inputs.number.value,
    })
    return fault ?? (refused?.field === field ? refused.code : null)
  }

  /** What each of these fields shows from now on. */
  function show(verdicts: { field: Field; code: FaultCode | null }[]) {
    const changed = verdicts.filter(({ field, code }) => (shown.get(field) ?? null) !== code)
    for (const { field, code } of changed) {
      if (code === null) shown.delete(field)
      else shown.set(field, code)
      fields.showFault(field, code)
    }
    const found = changed.filter((verdict): verdict is Fault => verdict.code !== null)
    if (found.length > 0) fields.announce(found)
  }

  function stateOf(field: Field) {
    return { shown: shown.get(field) ?? null, fault: faultOf(field) }
  }

  return {
    /** All faults, shown or not, in the order of the fields. */
    faults: (): Fault[] => listed(faultOf),

    shown: (): Fault[] => listed((field) => shown.get(field) ?? null),

    /** Called after a change of the field. Another number may need a longer or shorter code. */
    typed(field: Field) {
      if (refused?.field === field) refused = null
      const whole = isWhole(field, inputs[field].value)
      const verdicts = [{ field, code: faultWhileTyping({ ...stateOf(field), whole }) }]
      if (field === 'number') {
        verdicts.push({
          field: 'code',
          code: faultWhileTyping({ ...stateOf('code'), whole: false }),
        })
      }
      show(verdicts)
    },

    left(field: Field) {
      const empty = inputs[field].value === ''
      show([{ field, code: faultOnBlur({ ...stateOf(field), empty }) }])
    },

    /** Shows all faults. */
    all() {
      show(fieldNames.map((field) => ({ field, code: faultOf(field) })))
    },

    /** The service's fault for a value. It counts until the field changes. */
    refuse(fault: Fault) {
      refused = fault
    },

    /** Hides all faults until there is a new reason to show one. */
    forgive(field: Field) {
      show([{ field, code: null }])
    },
  }
}

function listed(codeOf: (field: Field) => FaultCode | null): Fault[] {
  return fieldNames.flatMap((field) => {
    const code = codeOf(field)
    return code ? [{ field, code }] : []
  })
}

type JudgeOptions = { brands: readonly string[]; now: Date; number: string }

const rules: Record<Field, (value: string, other: JudgeOptions) => FaultCode | null> = {
  number: (value, { brands }) => numberFault(value, brands),
  expiry: (value, { now }) => expiryFault(value, now),
  code: (value, { number }) => codeFault(value, codeLengths(number)),
  name: nameFault,
}

// The shopper may add to a code or a name at any time.
function isWhole(field: Field, value: string): boolean {
  return (field === 'number' && isNumberWhole(value)) || (field === 'expiry' && isExpiryWhole(value))
}
