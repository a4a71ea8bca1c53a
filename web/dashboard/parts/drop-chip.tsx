// A filter that is active, with a way to drop it.

import { say } from '../words.ts'
import { Icon } from './icon.tsx'

export function DropChip({ text, onDrop }: { text: string; onDrop: () => void }) {
  return (
    <button type="button" className="chip active" aria-label={say('drop_filter', { filter: text })} onClick={onDrop}>
      <bdi>{text}</bdi>
      <Icon name="close" />
    </button>
  )
}
