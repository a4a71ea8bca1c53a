// The frame of a plot: a title that says the result in words, the drawing, and the same numbers as a table behind it.

import type { ReactNode } from 'react'
import { say } from '../words.ts'
import { ScrollPlace } from './scroll-place.tsx'

export function Plot({
  title,
  note,
  headings,
  rows,
  children,
}: {
  title: ReactNode
  note?: string
  headings: string[]
  rows: (string | number)[][]
  children: ReactNode
}) {
  return (
    <section className="plot">
      <h2>{title}</h2>
      {note && <p className="hint">{note}</p>}
      {children}
      <details>
        <summary>{say('as_table')}</summary>
        <ScrollPlace label={say('as_table')}>
          <table className="plain">
            <thead>
              <tr>
                {headings.map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([first, ...others]) => (
                <tr key={first}>
                  <th scope="row">{first}</th>
                  {others.map((value, index) => (
                    <td key={headings[index + 1]}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollPlace>
      </details>
    </section>
  )
}
