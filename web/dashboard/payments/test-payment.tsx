// Makes a payment in test mode, so that a newcomer has one to look at: a test shopper pays it within a second.

import { useState } from 'react'
import { Link } from 'wouter'
import type { TestPaymentBody } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Menu } from '../parts/menu.tsx'
import { say, sayCode } from '../words.ts'

type Outcome = TestPaymentBody['outcome']
type Begun = { session_id: string; email: string; amount: number; currency: string }
type Made = Begun & { payment_id: string; status: string }

/** Besides the usual one. */
const others = ['held', 'declined'] as const

const concerned = ['GET /{merchant_id}/payments', 'GET /{merchant_id}/holds', 'GET /{merchant_id}/overview'] as const

/** Only in test mode, and only for who may create payments there. */
export function TestPayment() {
  const { mode, may, pathOf } = useHere()
  const { make, made, refused, is_busy } = useTestPayment()
  if (mode !== 'test' || !may('create_payments')) return null
  return (
    <div className="test-payment">
      <p className="acts">
        <Button look="primary" is_busy={is_busy} onClick={() => make('paid')}>
          {say('make_test_payment')}
        </Button>
        <Menu acts={others.map((id) => ({ id, text: say(`test_payment_${id}`), act: () => make(id) }))}>
          {say('test_payment_other')}
        </Menu>
      </p>
      <RefusalAlert refused={refused} />
      <p role="status" className={made ? 'made' : 'unseen'}>
        {made && (
          <>
            {sentence(made)} <Link href={pathOf(`payments/${made.payment_id}`)}>{say('test_payment_open')}</Link>
          </>
        )}
      </p>
    </div>
  )
}

/** A session that was begun and not paid, since an answer was lost, is paid by the next press. */
function useTestPayment() {
  const { merchant_id } = useHere()
  const [begun, setBegun] = useState<{ outcome: Outcome; session: Begun } | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const begin = useAct('POST /{merchant_id}/test-payments')
  const pay = useAct('POST /{merchant_id}/test-payments/{session_id}/pay', [...concerned])
  const payFor = (session: Begun) =>
    pay.mutate(
      { merchant_id, session_id: session.session_id, body: {} },
      {
        onSuccess: (paid) => {
          setBegun(null)
          setMade({ ...session, ...paid })
        },
        onError: ({ status }) => {
          if (status >= 400 && status < 500) setBegun(null)
        },
      },
    )
  const make = (outcome: Outcome) => {
    setMade(null)
    if (begun?.outcome === outcome) return payFor(begun.session)
    begin.mutate(
      { merchant_id, body: { outcome } },
      {
        onSuccess: (session) => {
          setBegun({ outcome, session })
          payFor(session)
        },
      },
    )
  }
  return {
    make,
    made,
    refused: begin.error ?? pay.error,
    is_busy: begin.isPending || pay.isPending,
  }
}

function sentence({ status, email, amount, currency }: Made): string {
  const values = { email, amount: amountWords(amount, currency) }
  if (status === 'captured') return say('test_payment_made_captured', values)
  if (status === 'held') return say('test_payment_made_held', values)
  if (status === 'declined') return say('test_payment_made_declined', values)
  return sayCode('status', status)
}
