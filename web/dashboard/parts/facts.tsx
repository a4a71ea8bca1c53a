// Names and their values, in two columns that a phone puts below each other. Values that are nothing are left out.

import type { ReactNode } from 'react'

export function Facts({ rows }: { rows: [string, ReactNode][] }) {
  const shown = rows.filter(([, value]) => ![null, undefined, false, ''].includes(value as string))
  return (
    <dl className="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
