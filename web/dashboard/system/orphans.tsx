// Authorisations at an acquirer that no payment stands behind: reverse them, or leave them with the acquirer.

import { useState } from 'react'
import type { Orphans as Found } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'
import { ReasonDialog } from './reason-dialog.tsx'

type Orphan = Found['orphans'][number]
type Opened = { orphan: Orphan; decision: 'reverse' | 'leave' }

export function Orphans({ orphans }: Pick<Found, 'orphans'>) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  return (
    <Section title={say('orphans')}>
      <p className="hint">{say('orphans_words')}</p>
      {orphans.length === 0 ? (
        <p>{say('no_orphans')}</p>
      ) : (
        <Table
          label={say('orphans')}
          rows={orphans}
          keyOf={({ acquirer, reference }) => `${acquirer} ${reference}`}
          columns={[
            {
              name: say('reference'),
              kind: 'first',
              cell: ({ reference }) => <code className="breakable">{reference}</code>,
            },
            { name: say('acquirer'), cell: ({ acquirer }) => acquirer },
            {
              // By it the acquirer's portal finds the charge.
              name: say('bank_reference'),
              cell: ({ acquirer_transaction_id: id }) => id && <Copyable text={id} label={say('bank_reference')} />,
            },
            { name: say('column_amount'), kind: 'figure', cell: Amount },
            { name: say('column_status'), cell: ({ state }) => sayCode('orphan', state) },
            {
              name: say('found_at'),
              kind: 'second',
              cell: ({ found_at }) => <Moment at={found_at} />,
            },
            {
              name: say('column_acts'),
              kind: 'acts',
              cell: (orphan) => (
                <>
                  {orphan.state === 'held_back' && (
                    <Button size="small" onClick={() => setOpened({ orphan, decision: 'reverse' })}>
                      {say('reverse')}
                    </Button>
                  )}
                  <Button size="small" onClick={() => setOpened({ orphan, decision: 'leave' })}>
                    {say('leave_orphan')}
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {opened?.decision === 'reverse' && <Reverse orphan={opened.orphan} onClose={close} />}
      {opened?.decision === 'leave' && <Leave orphan={opened.orphan} onClose={close} />}
    </Section>
  )
}

function Reverse({ orphan, onClose }: { orphan: Orphan; onClose: () => void }) {
  const act = useAct('POST /system/orphans/reverse', ['GET /system/orphans'])
  const { amount, currency, reference } = orphan
  return (
    <Dialog title={say('reverse_title')} onClose={onClose}>
      <p>{say('reverse_words', { amount: amountWords(amount, currency) })}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button
          look="danger"
          is_busy={act.isPending}
          onClick={() => act.mutate({ body: { references: [reference] } }, { onSuccess: onClose })}
        >
          {say('reverse_title')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}

function Leave({ orphan, onClose }: { orphan: Orphan; onClose: () => void }) {
  const act = useAct('POST /system/orphans/leave', ['GET /system/orphans'])
  const { amount, currency, reference } = orphan
  return (
    <ReasonDialog
      title={say('leave_title')}
      words={say('leave_words', { amount: amountWords(amount, currency) })}
      act={act}
      onReason={(reason) => act.mutate({ body: { references: [reference], reason } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
