// A state as a word and a shape; the colour comes third.

import { sayCode } from '../words.ts'

type Tone = 'good' | 'wait' | 'bad' | 'off' | 'back'

const tones: Record<string, Tone> = {
  captured: 'good',
  succeeded: 'good',
  replayed: 'good',
  active: 'good',
  usable: 'good',
  completed: 'good',
  held: 'wait',
  pending: 'wait',
  waiting: 'wait',
  pending_review: 'wait',
  escalated: 'wait',
  processing: 'wait',
  failing: 'wait',
  requires_payment: 'wait',
  needs_response: 'bad',
  under_review: 'wait',
  won: 'good',
  lost: 'bad',
  declined: 'bad',
  failed: 'bad',
  refund_failed: 'bad',
  dead_lettered: 'bad',
  paused: 'bad',
  refunded: 'back',
  part_refunded: 'back',
  refunding: 'wait',
}

export function Status({ status, text }: { status: string; text?: string }) {
  const tone = tones[status] ?? 'off'
  return (
    <span className={`status ${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <path d={shapes[tone]} />
      </svg>
      {text ?? sayCode('status', status)}
    </span>
  )
}

const shapes: Record<Tone, string> = {
  good: 'M2 6.5 4.7 9.2 10 3.5',
  wait: 'M6 2v4l2.5 1.5',
  bad: 'M3 3l6 6M9 3 3 9',
  off: 'M3 6h6',
  back: 'M5.2 3 2.8 5.4l2.4 2.4M3 5.4h4.2a2 2 0 0 1 0 4H6',
}
