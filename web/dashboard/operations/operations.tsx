// Calls to the acquirer that nobody has answered yet, and what the service holds back.

import type { UnansweredOperation } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Alert } from '../parts/alert.tsx'
import { Amount } from '../parts/amount.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Screen } from '../parts/screen.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'
import { Settle } from './settle.tsx'

export function Operations() {
  const { merchant_id, mode, pathOf, may } = useHere()
  const answer = useAnswer('GET /{merchant_id}/operations', { merchant_id, query: { mode } }, { every_ms: 30_000 })
  return (
    <Screen title={say('nav_operations')} lead={say('operations_lead')}>
      <Loaded answer={answer} rows={4}>
        {({ operations, brake }) => (
          <>
            {brake?.is_pulled && <Alert>{say('brake_pulled')}</Alert>}
            {operations.length > 0 && !may('resolve_operations') && <p className="hint">{say('settled_by_others')}</p>}
            {operations.length === 0 ? (
              <Empty title={say('no_operations')} />
            ) : (
              <Table
                label={say('nav_operations')}
                rows={operations}
                keyOf={({ operation_id }) => operation_id}
                hrefOf={({ payment_id }) => pathOf(`payments/${payment_id}`)}
                columns={[
                  {
                    name: say('column_kind'),
                    kind: 'first',
                    cell: ({ kind }) => sayCode('operation', kind),
                  },
                  {
                    name: say('column_amount'),
                    kind: 'figure',
                    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
                  },
                  {
                    name: say('column_status'),
                    cell: ({ state }) => sayCode('operation_state', state),
                  },
                  {
                    name: say('column_sent'),
                    kind: 'second',
                    cell: ({ sent_at }) => <Moment at={sent_at} />,
                  },
                  {
                    name: say('column_person'),
                    cell: ({ waits_for_person_since: since }) =>
                      since ? <Moment at={since} /> : <span className="hint">{say('still_asked')}</span>,
                  },
                  { name: say('column_email'), cell: ({ customer_email }) => customer_email ?? '–' },
                  {
                    name: say('column_order'),
                    cell: ({ order_reference }) => <span className="short">{order_reference ?? '–'}</span>,
                  },
                  ...(may('resolve_operations') ? [settling] : []),
                ]}
              />
            )}
          </>
        )}
      </Loaded>
    </Screen>
  )
}

const settling: Column<UnansweredOperation> = {
  name: say('column_acts'),
  kind: 'acts',
  cell: (operation) => <Settle operation={operation} />,
}
