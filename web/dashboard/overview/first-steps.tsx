// What a new merchant does first. Each step ticks itself off, and the list can be hidden.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Overview, Permission } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Section } from '../parts/screen.tsx'
import { TestPayment } from '../payments/test-payment.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'
import { hasKept, keepStep, keptSteps } from './kept-steps.ts'

type Step = { is_done: boolean; words: ReactNode; needs: Permission }

export function FirstSteps({ steps }: { steps: Overview['steps'] }) {
  const { merchant_id, mode, pathOf, may } = useHere()
  useStore(keptSteps)
  const { has_payment, has_endpoint, has_colleague, has_key } = steps
  const to = (screen: string, words: ReactNode) => <Link href={pathOf(screen)}>{words}</Link>
  const looked = { is_done: has_payment && hasKept(merchant_id, 'looked') }
  const all: Step[] = [
    { is_done: has_payment, words: say('step_payment'), needs: 'create_payments' },
    { ...looked, words: to('payments', say('step_look')), needs: 'create_payments' },
    {
      is_done: has_endpoint,
      words: to('webhooks', say('step_endpoint')),
      needs: 'manage_webhooks',
    },
    { is_done: has_colleague, words: to('team', say('step_colleague')), needs: 'manage_members' },
    { is_done: has_key, words: to('keys', say('step_key')), needs: 'manage_keys' },
  ]
  const rows = all.filter(({ needs }) => may(needs))
  // Whoever may set nothing up has no steps.
  const are_done = rows.every(({ is_done }) => is_done)
  if (mode !== 'test' || are_done || hasKept(merchant_id, 'hidden')) return null
  return (
    <Section
      title={say('first_steps')}
      label={say('first_steps')}
      acts={
        <Button look="plain" size="small" onClick={() => keepStep(merchant_id, 'hidden')}>
          {say('hide_steps')}
        </Button>
      }
    >
      <ol className="steps">
        {rows.map(({ is_done, words }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps never change their places
          <li key={index} className={is_done ? 'done' : undefined}>
            {is_done ? <Icon name="done" /> : <span aria-hidden="true">{index + 1}</span>}
            {words}
            {is_done && <span className="unseen">{say('step_done')}</span>}
          </li>
        ))}
      </ol>
      <TestPayment />
    </Section>
  )
}
