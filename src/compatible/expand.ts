// `expand`: the members that a client wants as objects in place of ids. In a list their names begin with `data.`.

import { z } from 'zod'

const of_list = 'data.'

/** The member `expand` of a query or body that may name these members; a set of what it names. */
export function expandOf<const Name extends string>(names: readonly Name[]) {
  return expandSchema(names, names)
}

/** The same for a list; the set has the names without `data.`. */
export function expandInList<const Name extends string>(names: readonly Name[]) {
  return expandSchema(
    names.map((name) => of_list + name),
    names,
  )
}

function expandSchema<Name extends string>(names: readonly string[], plainNames: readonly Name[]) {
  const words = `can only name ${names.join(', ')}`
  return z
    .preprocess(
      entriesOf,
      z.array(z.string()).refine((entries) => entries.every((entry) => names.includes(entry)), words),
    )
    .transform((entries): ReadonlySet<Name> => new Set(entries.map((entry) => plainNames[names.indexOf(entry)]!)))
    .optional()
    .meta({ type: 'array', items: { type: 'string', enum: names } })
}

/** JSON has a list; a form has `expand[0]` or `expand[]`, whose values are in one object. */
export function entriesOf(expand: unknown): unknown {
  if (expand === null || typeof expand !== 'object' || Array.isArray(expand)) return expand
  return Object.values(expand).flat()
}
