// The button below a list that reads its next page.

import { say } from '../words.ts'
import { Button } from './button.tsx'
import { dayWords } from './moment.tsx'

export function Older({
  pages,
  words = say('older'),
}: {
  pages: { has_more: boolean; is_reading: boolean; older: () => void }
  /** What comes next, where the list is not ordered by age. */
  words?: string
}) {
  if (!pages.has_more) return null
  return (
    <p className="older">
      <Button is_busy={pages.is_reading} onClick={pages.older}>
        {words}
      </Button>
    </p>
  )
}

/** How far a search has come that looks through a part of the rows at a time: its last page is not full, and there are more. */
export function LookedBack({
  pages: { has_more },
  rows,
  rows_a_page,
}: {
  pages: { has_more: boolean }
  /** When each was made, newest first. */
  rows: string[]
  rows_a_page: number
}) {
  const oldest = rows.at(-1)
  if (!has_more || rows.length % rows_a_page === 0 || !oldest) return null
  return <p className="hint center">{say('looked_back', { date: dayWords(new Date(oldest)) })}</p>
}
