// The button below a list that reads its next page.

import { say } from '../words.ts'
import { Button } from './button.tsx'

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
