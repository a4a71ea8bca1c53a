// The API's own answer, and the command that reads it.

import { Link } from 'wouter'
import type { Payment } from '../client/answers.ts'
import { useHere } from '../merchant.ts'
import { Copyable } from '../parts/copy.tsx'
import { Section } from '../parts/screen.tsx'
import { say } from '../words.ts'

export function ForDevelopers({ payment }: { payment: Payment }) {
  const { pathOf } = useHere()
  const { permitted: _permitted, ...shown } = payment
  const command = `curl ${location.origin}/v1/payments/${payment.id} -H "X-Service-Api-Key: $KEY"`
  return (
    <Section title={say('for_developers')}>
      <Copyable text={command} label={say('command')} />
      {payment.checkout_session_id && (
        <p>
          <Copyable text={payment.checkout_session_id} label={say('session_id')} />{' '}
          <Link href={pathOf(`sessions/${payment.checkout_session_id}`)}>{say('session')}</Link>
        </p>
      )}
      <details>
        <summary>{say('api_answer')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(shown, null, 2)}</pre>
      </details>
    </Section>
  )
}
