// Says what an act has done, where the row or dialog that it was begun in is gone. It stays until somebody closes it or goes elsewhere.

import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { usePlace } from '../merchant.ts'
import { doneStore } from '../parts/done.ts'
import { Icon } from '../parts/icon.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'

/** The region is always there: what comes into it is read out. */
export function Done() {
  const done = useStore(doneStore)
  const { pathOf } = usePlace()
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it belongs to the screen on which it was done
  useEffect(() => () => doneStore.write(null), [path])
  const to = done?.payment_id ? pathOf(`payments/${done.payment_id}`) : null
  return (
    <div className={done ? 'done notice' : 'done'} role="status">
      {done && (
        <>
          <p>
            {done.words} {to && to !== path && <Link href={to}>{say('show_payment')}</Link>}
          </p>
          <button
            type="button"
            className="button plain small"
            aria-label={say('close')}
            onClick={() => doneStore.write(null)}
          >
            <Icon name="close" />
          </button>
        </>
      )}
    </div>
  )
}
