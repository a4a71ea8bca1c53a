// What may be done to a payment now, each behind a dialog that says what happens to which amount.

import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { say } from '../words.ts'
import { type Decided, type Decision, decisions } from './decided.ts'
import { DecisionDialog } from './decision-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'

/** Which single key presses the button: see `frame/shortcuts.ts`. */
const keys: Partial<Record<Decision, string>> = { capture: 'c', void: 'v' }

export function Decisions({ payment, permitted, size }: { payment: Decided; permitted: string[]; size?: 'small' }) {
  const [asked, setAsked] = useState<Decision | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      {decisions
        .filter((each) => permitted.includes(each))
        .map((each) => (
          <Button
            key={each}
            size={size}
            look={each === 'capture' ? 'primary' : 'quiet'}
            data-key={keys[each]}
            onClick={() => setAsked(each)}
          >
            {say(each)}
          </Button>
        ))}
      {asked === 'refund' && <RefundDialog payment={payment} onClose={close} />}
      {asked !== null && asked !== 'refund' && <DecisionDialog kind={asked} payment={payment} onClose={close} />}
    </>
  )
}
