// Bodies and queries as Stripe reads them: a form whose names nest in brackets, `card[exp_month]=12`.

export type FormValue =
  | string
  | number
  | boolean
  | undefined
  | readonly FormValue[]
  | { readonly [name: string]: FormValue }

/** Undefined members are left out. */
export function formOf(members: object): string {
  return fieldsOf(members)
    .map(([name, value]) => `${escaped(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

function fieldsOf(members: object, prefix?: string): [name: string, value: string][] {
  return Object.entries(members).flatMap(([member, value]: [string, FormValue]) => {
    const name = prefix === undefined ? member : `${prefix}[${member}]`
    if (value === undefined) return []
    if (typeof value === 'object') return fieldsOf(value, name)
    return [[name, String(value)]]
  })
}

function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}
