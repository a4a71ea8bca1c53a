// Capture, void or escalate one held payment. Pressing twice, or again after a lost answer, decides once.

import { useAct } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { say } from '../words.ts'
import type { Decided } from './decided.ts'

const concerned = [
  'GET /{merchant_id}/payments/{payment_id}',
  'GET /{merchant_id}/payments/{payment_id}/timeline',
  'GET /{merchant_id}/payments',
  'GET /{merchant_id}/holds',
] as const

export function DecisionDialog({
  kind,
  payment,
  onClose,
}: {
  kind: 'capture' | 'void' | 'escalate'
  payment: Decided
  onClose: () => void
}) {
  const { merchant_id, mode } = useHere()
  const act = useAct(`POST /{merchant_id}/payments/{payment_id}/hold/${kind}`, [...concerned])
  const amount = amountWords(payment.amount, payment.currency)
  const decide = () => act.mutate({ merchant_id, payment_id: payment.id, body: {} }, { onSuccess: onClose })
  return (
    <Dialog title={say(`${kind}_title`)} onClose={onClose} is_busy={act.isPending}>
      <p>{say(`${kind}_words`, { amount })}</p>
      {mode === 'test' && <p className="hint">{say('test_money')}</p>}
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button is_busy={act.isPending} onClick={onClose}>
          {say('cancel')}
        </Button>
        <Button look={kind === 'void' ? 'danger' : 'primary'} is_busy={act.isPending} onClick={decide}>
          {say(`${kind}_amount`, { amount })}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
