// What a row of requests shows; of refused ones, what else is worth looking for.

import type { LoggedRequest, RefusedRequest } from '../client/answers.ts'
import { Moment } from '../parts/moment.tsx'
import type { Column } from '../parts/table.tsx'
import { say } from '../words.ts'
import type { Filters } from './search.ts'

/** `onOnly` shows only those that share what was pressed. */
export function refusedColumnsOf(onOnly: (more: Filters) => void): Column<RefusedRequest>[] {
  const only = (name: 'route' | 'code' | 'key_id', value: string, shown = value) => (
    <button
      type="button"
      className="only"
      aria-label={say('only_these', { value: shown })}
      onClick={() => onOnly({ [name]: value })}
    >
      {shown}
    </button>
  )
  const [asked, status, code, duration, time, id] = columnsOf<RefusedRequest>()
  return [
    {
      ...asked!,
      cell: ({ method, path, route }) => (
        <code className="breakable">{only('route', route, `${method} ${path}`)}</code>
      ),
    },
    status!,
    {
      ...code!,
      cell: (row) => (
        <>
          {row.code ? only('code', row.code) : '–'}
          {row.field && <span className="hint"> {row.field}</span>}
        </>
      ),
    },
    {
      name: say('column_key'),
      cell: ({ key_id }) => <code className="breakable">{only('key_id', key_id)}</code>,
    },
    duration!,
    time!,
    id!,
  ]
}

export function columnsOf<Row extends LoggedRequest>(): Column<Row>[] {
  return [
    {
      name: say('column_request'),
      kind: 'first',
      cell: ({ method, path }) => (
        <code className="breakable">
          {method} {path}
        </code>
      ),
    },
    { name: say('column_status'), cell: ({ status }) => status },
    { name: say('column_code'), cell: ({ code }) => code ?? '–' },
    {
      name: say('column_duration'),
      kind: 'figure',
      cell: ({ duration_ms }) => say('milliseconds', { count: Math.round(duration_ms) }),
    },
    { name: say('column_time'), kind: 'second', cell: ({ at }) => <Moment at={at} /> },
    { name: say('request_id'), cell: ({ request_id }) => <code>{request_id}</code> },
  ]
}
