// An id on one line: where it is long its middle is left out of sight, but not out of the text.

import { Link } from 'wouter'
import { opens } from '../frame/screen-names.ts'
import { screenOfId } from '../frame/screen-of-id.ts'
import { useHere } from '../merchant.ts'

const seen_at_end = 4

export function Id({ id }: { id: string }) {
  return (
    <code className="id" title={id}>
      <span className="start">{id.slice(0, -seen_at_end)}</span>
      {id.slice(-seen_at_end)}
    </code>
  )
}

/** Leads to what the id names, where the person may see that. Where no screen shows `id`, the link leads to what `by` names. */
export function IdLink({ id, by = id, text }: { id: string; by?: string; text?: string }) {
  const here = useHere()
  const shown = screenOfId(id) ?? screenOfId(by)
  const words = text === undefined ? <Id id={id} /> : <bdi title={id}>{text}</bdi>
  if (!shown || !opens(here, shown.screen)) return words
  return <Link href={here.pathOf(shown.path)}>{words}</Link>
}
