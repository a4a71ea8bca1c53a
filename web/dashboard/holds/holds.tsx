// Held payments that wait for somebody, the next deadline first.

import { useState } from 'react'
import { Link, useSearch } from 'wouter'
import type { ListedHold } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { SavedFilters } from '../filters/saved-filters.tsx'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Deadline } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Decisions } from '../payment/decisions.tsx'
import { HoldRefusal } from '../payment/hold-refusal.tsx'
import { OtherPayments } from '../payment/other-payments.tsx'
import { say, sayCode } from '../words.ts'
import { MarkedHolds, marked_max, sumWords } from './decide-many.tsx'
import { Escalation } from './escalation.tsx'

export function Holds() {
  const { merchant_id, mode, pathOf, may } = useHere()
  const filter = new URLSearchParams(useSearch()).get('waits_for')
  const waits_for = kinds.find((each) => each === filter) ?? null
  const pages = usePages('GET /{merchant_id}/holds', { merchant_id, query: { mode, waits_for } })
  const [marked, setMarked] = useState<string[]>([])
  const mark = (payment_id: string) =>
    setMarked((before) =>
      before.includes(payment_id) ? before.filter((each) => each !== payment_id) : [...before, payment_id],
    )
  const isMarked = (hold: ListedHold) => isOpen(hold) && marked.includes(hold.payment_id)
  // Those that somebody else has decided take no place.
  const is_full = (pages.answer.data ?? []).filter(isMarked).length >= marked_max
  const acts = actsOf({ marked, is_full, onMark: mark })
  const columns = [...facts, ...(may('decide_holds') ? [acts] : [])]
  return (
    <Screen
      title={say('nav_holds')}
      lead={<LapsesToday holds={pages.answer.data ?? []} />}
      acts={<SavedFilters list="holds" screen="holds" />}
    >
      <nav className="chips" aria-label={say('filters')}>
        {kinds.map((each) => (
          <Link
            key={each}
            href={pathOf(waits_for === each ? 'holds' : `holds?waits_for=${each}`)}
            className={waits_for === each ? 'chip active' : 'chip'}
            aria-current={waits_for === each ? 'page' : undefined}
            onClick={() => setMarked([])}
          >
            {say(`holds_for_${each}`)}
          </Link>
        ))}
      </nav>
      <Loaded answer={pages.answer}>
        {(data) => (
          <>
            <MarkedHolds holds={data.filter(isMarked)} onDone={() => setMarked([])} />
            {data.length === 0 && !pages.has_more ? (
              <Empty title={say('no_holds')}>
                <p>{say(waits_for === 'capture' ? 'none_to_capture' : 'no_holds_words')}</p>
              </Empty>
            ) : (
              <Table
                label={say('nav_holds')}
                columns={columns}
                rows={data}
                keyOf={({ payment_id }) => payment_id}
                hrefOf={({ payment_id }) => pathOf(`payments/${payment_id}`)}
              />
            )}
          </>
        )}
      </Loaded>
      <Older pages={pages} words={say('later_deadlines')} />
    </Screen>
  )
}

/** To judge the amount, or to wait for the goods to leave. */
const kinds = ['capture', 'review'] as const

const facts: Column<ListedHold>[] = [
  {
    name: say('column_amount'),
    kind: 'first',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  {
    name: say('column_deadline'),
    kind: 'second',
    cell: ({ hold, rules }) => (
      <>
        <span className={urgencyOf(hold.deadline)}>
          <Deadline at={hold.deadline} />
        </span>
        <span className="hint"> {sayCode('then', rules.at_deadline)}</span>
      </>
    ),
  },
  {
    name: say('column_reason'),
    cell: (listed) => (
      <>
        {sayCode('hold_reason', listed.hold.reason)} <Escalation hold={listed} /> <HoldRefusal hold={listed.hold} />{' '}
        <OtherPayments others={listed.other_payments} />
      </>
    ),
  },
  { name: say('column_email'), cell: ({ customer_email }) => customer_email ?? '–' },
  {
    name: say('column_order'),
    cell: ({ order_reference }) => <span className="short">{order_reference ?? '–'}</span>,
  },
]

/** No decision is under way. */
function isOpen({ operation, settlement }: Pick<ListedHold, 'operation' | 'settlement'>): boolean {
  return !operation && !settlement
}

/** Nobody has to judge the amount of what waits for its goods. */
function isToJudge({ status, reason }: ListedHold['hold']): boolean {
  return status === 'pending_review' && reason !== 'manual_capture'
}

type Marking = {
  marked: string[]
  /** As many are marked as may be. */
  is_full: boolean
  onMark(payment_id: string): void
}

function actsOf({ marked, is_full, onMark }: Marking): Column<ListedHold> {
  return {
    name: say('column_acts'),
    kind: 'acts',
    cell: ({ payment_id: id, amount, currency, hold, operation, settlement, ...whose }) =>
      !isOpen({ operation, settlement }) ? (
        <span className="hint">{say('decision_under_way')}</span>
      ) : (
        <>
          <Decisions
            size="small"
            payment={{ id, amount, currency, ...whose }}
            permitted={['capture', 'void', ...(isToJudge(hold) ? ['escalate'] : [])]}
          />
          <input
            type="checkbox"
            className="mark"
            data-key="x"
            aria-label={say('mark', { amount: amountWords(amount, currency) })}
            checked={marked.includes(id)}
            disabled={is_full && !marked.includes(id)}
            onChange={() => onMark(id)}
          />
        </>
      ),
  }
}

const day_ms = 24 * 3_600_000

function urgencyOf(deadline: string): string {
  const left_ms = new Date(deadline).getTime() - Date.now()
  return left_ms < day_ms ? 'urgent' : ''
}

/** The sums that the rules void and capture within a day, unless a person decides before. */
function LapsesToday({ holds }: { holds: ListedHold[] }) {
  const urgent = holds.filter(({ hold }) => urgencyOf(hold.deadline))
  return (['void', 'capture'] as const).map((rule) => {
    const amounts = sumWords(urgent.filter(({ rules }) => rules.at_deadline === rule))
    if (amounts === '') return null
    return (
      <span key={rule} className="warning">
        {say(`lapses_today_${rule}`, { amounts })}
      </span>
    )
  })
}
