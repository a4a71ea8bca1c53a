// What the acquirers paid out, by the reports that were read: those read last first. A row leads to its payout.

import { useState } from 'react'
import type { PayoutRow } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Amount } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { formatNumber, say } from '../words.ts'
import { dayWords } from './day-words.ts'
import { ExportMonth } from './export-month.tsx'
import { ReadReport } from './read-report.tsx'

export function Payouts() {
  const { merchant_id, mode, pathOf, may } = useHere()
  const [open, setOpen] = useState<'report' | 'month' | null>(null)
  const pages = usePages('GET /{merchant_id}/payouts', { merchant_id, query: { mode, limit: '50' } })
  const connections = pages.replies[0]?.connections ?? []
  return (
    <Screen
      title={say('nav_payouts')}
      lead={say('payouts_words')}
      acts={
        <>
          {may('export_transactions') && (
            <Button icon="download" onClick={() => setOpen('month')}>
              {say('export')}
            </Button>
          )}
          {may('resolve_operations') && connections.length > 0 && (
            <Button look="primary" icon="plus" onClick={() => setOpen('report')}>
              {say('read_report')}
            </Button>
          )}
        </>
      }
    >
      {open === 'report' && <ReadReport connections={connections} onClose={() => setOpen(null)} />}
      {open === 'month' && <ExportMonth onClose={() => setOpen(null)} />}
      <Loaded answer={pages.answer} rows={10}>
        {(rows) =>
          rows.length > 0 ? (
            <Table
              label={say('nav_payouts')}
              columns={columns()}
              rows={rows}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => pathOf(`payouts/${id}`)}
            />
          ) : (
            <Empty title={say('no_payouts')}>
              <p>{say(connections.length > 0 ? 'no_payouts_words' : 'no_reporting_connection')}</p>
            </Empty>
          )
        }
      </Loaded>
      <Older pages={pages} />
    </Screen>
  )
}

const columns = (): Column<PayoutRow>[] => [
  { name: say('paid_on'), kind: 'second', cell: ({ paid_on }) => dayWords(paid_on) },
  {
    name: say('net'),
    kind: 'figure',
    cell: ({ net, currency }) => <Amount amount={net} currency={currency} />,
  },
  {
    name: say('gross'),
    kind: 'wide',
    cell: ({ gross, currency }) => <Amount amount={gross} currency={currency} />,
  },
  { name: say('fee'), kind: 'wide', cell: ({ fee, currency }) => <Amount amount={fee} currency={currency} /> },
  {
    name: say('payout'),
    kind: 'first',
    cell: ({ vendor_id, connection }) => (
      <>
        <span className="short">{vendor_id}</span> <span className="short below hint">{connection}</span>
      </>
    ),
  },
  {
    name: say('payout_findings'),
    cell: ({ findings, lines }) =>
      say(findings > 0 ? 'findings_of_lines' : 'no_findings_of_lines', {
        findings: formatNumber(findings),
        lines: formatNumber(lines),
      }),
  },
]
