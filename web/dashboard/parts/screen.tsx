// What each screen begins with: its title in the window and as a heading that takes the focus after a change of screen.

import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { say } from '../words.ts'
import { useRowMark } from './row-mark.ts'

/** The path that had the focus last. Null until the first screen was shown, which leaves the focus alone. */
let focused_path: string | null = null

export function Screen({
  title,
  heading,
  lead,
  acts,
  children,
}: {
  title: string
  /** Where it is more than the title. */
  heading?: ReactNode
  lead?: ReactNode
  acts?: ReactNode
  children: ReactNode
}) {
  const place = useRef<HTMLHeadingElement>(null)
  const [path] = useLocation()
  useEffect(() => {
    document.title = `${title} · ${say('product')}`
  }, [title])
  useEffect(() => {
    if (focused_path !== null && focused_path !== path) {
      place.current?.focus({ preventScroll: true })
      // A row that the address names is in sight already.
      if (!new URLSearchParams(location.search).has('row')) scrollTo(0, 0)
    }
    focused_path = path
  }, [path])
  return (
    <>
      <header className="screen-head">
        <div>
          <h1 ref={place} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead && <div className="lead">{lead}</div>}
        </div>
        {acts && <div className="acts">{acts}</div>}
      </header>
      {children}
    </>
  )
}

export function Section({
  title,
  acts,
  children,
  label,
  row_id,
}: {
  title: string
  acts?: ReactNode
  children: ReactNode
  /** Makes it a region of this name. */
  label?: string
  /** Where it stands for one of a list. */
  row_id?: string
}) {
  const markOf = useRowMark()
  return (
    <section className="section" aria-label={label} {...markOf(row_id)}>
      <div className="section-head">
        <h2>{title}</h2>
        {acts && <div className="acts">{acts}</div>}
      </div>
      {children}
    </section>
  )
}
