// Who did what: the journal of this merchant, the newest first.

import { Link, useLocation, useSearch } from 'wouter'
import type { AuditLine } from '../client/answers.ts'
import { addressOf as routeAddress } from '../client/call.ts'
import { usePages } from '../client/pages.ts'
import { ExportButton } from '../export/export.tsx'
import { opens } from '../frame/screen-names.ts'
import { screenOfSecret } from '../frame/screen-of-id.ts'
import { useHere } from '../merchant.ts'
import { Actor, idOfActor } from '../parts/actor.tsx'
import { amountWords } from '../parts/amount.tsx'
import { changeWords } from '../parts/change.ts'
import { Empty } from '../parts/empty.tsx'
import { IdLink } from '../parts/id.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { LookedBack, Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { rulesWords } from '../payment/story.ts'
import { addressOf as requestsAddress } from '../requests/search.ts'
import { say } from '../words.ts'
import { AuditFilters } from './filters.tsx'
import { addressOf, type Filters, filtersIn, queryOf } from './search.ts'

const rows_a_page = 50

export function Audit() {
  const { merchant_id, pathOf } = useHere()
  const [, navigate] = useLocation()
  const filters = filtersIn(new URLSearchParams(useSearch()))
  const query = queryOf(filters)
  const pages = usePages('GET /{merchant_id}/audit', {
    merchant_id,
    query: { limit: rows_a_page, ...query },
  })
  const lines = pages.answer.data ?? []
  const people: Record<string, string> = Object.assign({}, ...pages.replies.map((reply) => reply.people))
  return (
    <Screen
      title={say('nav_audit')}
      lead={say('audit_lead')}
      acts={
        <ExportButton
          title={say('audit_export_title')}
          shown={filters}
          kinds={[
            {
              name: say('nav_audit'),
              words: say('audit_export_words'),
              addressOf: (times) => {
                const asked = { merchant_id, query: { ...query, ...times } }
                return routeAddress('GET /{merchant_id}/audit/export', asked).address
              },
            },
          ]}
        />
      }
    >
      <AuditFilters
        filters={filters}
        people={people}
        onFilters={(next: Filters) => navigate(pathOf(screenOfSecret(next.search ?? '') ?? addressOf(next)))}
      />
      {filters.actor?.startsWith('key ') && <KeyActs key_id={idOfActor(filters.actor)} />}
      <Loaded answer={pages.answer} rows={10}>
        {(lines) =>
          lines.length === 0 ? (
            <NoLines has_filters={Object.keys(query).length > 0} has_more={pages.has_more} />
          ) : (
            <Lines lines={lines} people={people} />
          )
        }
      </Loaded>
      <LookedBack pages={pages} rows={lines.map(({ at }) => at)} rows_a_page={rows_a_page} />
      <Older pages={pages} />
    </Screen>
  )
}

/** What is written down of a key, and what is not: whoever looks for the acts of one that leaked must know. */
function KeyActs({ key_id }: { key_id: string }) {
  const here = useHere()
  const path = here.pathOf(requestsAddress({ asker_id: key_id }))
  return (
    <p className="hint">
      {say('key_acts_words')} {opens(here, 'requests') && <Link href={path}>{say('key_refused')}</Link>}
    </p>
  )
}

/** One answer looks through some thousand lines: older ones may match. */
function NoLines({ has_filters, has_more }: { has_filters: boolean; has_more: boolean }) {
  if (has_more) return <Empty title={say('no_lines_so_far')} />
  return <Empty title={say(has_filters ? 'no_lines_fit' : 'no_lines')} />
}

function Part({ text }: { text: unknown }) {
  if (typeof text !== 'string') return null
  return (
    <span className="hint">
      {' · '}
      <bdi>{text}</bdi>
    </span>
  )
}

function amountOf({ amount, currency }: AuditLine['detail']): string | null {
  return typeof amount === 'number' && typeof currency === 'string' ? amountWords(amount, currency) : null
}

function Lines({ lines, people }: { lines: AuditLine[]; people: Record<string, string> }) {
  return (
    <Table
      label={say('nav_audit')}
      is_even
      rows={lines}
      keyOf={({ entry_id }) => entry_id}
      columns={[
        {
          name: say('column_what'),
          kind: 'first',
          cell: ({ change, detail, order_reference: order, refund_reason: reason }) => (
            <>
              <span title={change}>{changeWords(change, detail)}</span>
              <Part text={amountOf(detail)} />
              <Part text={order} />
              <Part text={reason} />
              <Part text={detail.note} />
            </>
          ),
        },
        {
          name: say('column_who'),
          kind: 'line',
          cell: ({ actor, change, at, hold_deadline: deadline }) =>
            (actor === 'rules' && rulesWords({ change, at, deadline })) || <Actor actor={actor} people={people} />,
        },
        {
          name: say('column_subject'),
          cell: ({ subject, session_id }) => <IdLink id={subject} by={session_id ?? subject} text={people[subject]} />,
        },
        {
          name: say('column_time'),
          kind: 'second',
          cell: ({ at }) => <Moment at={at} is_exact />,
        },
      ]}
    />
  )
}
