// A place that scrolls by itself. It can be reached by keyboard, so that everybody can scroll it.

import type { ReactNode } from 'react'

export function ScrollPlace({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="scroll-place" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
