// What a row of requests shows; of refused ones, what else is worth looking for.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LoggedRequest, RefusedRequest } from '../client/answers.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Id } from '../parts/id.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import type { Column } from '../parts/table.tsx'
import { say } from '../words.ts'
import type { Filters } from './search.ts'

/**
 * `onOnly` shows only those that share what was pressed. A shopper's leads to its session. `names` are those of keys, by id.
 */
export function refusedColumnsOf(
  onOnly: (more: Filters) => void,
  { pathOf, names }: { pathOf: (path: string) => string; names: Record<string, string> },
): Column<RefusedRequest>[] {
  const only = (name: 'route' | 'code' | 'asker_id', value: string, shown: ReactNode, text = value) => (
    <button
      type="button"
      className="only"
      title={text}
      aria-label={say('only_these', { value: text })}
      onClick={() => onOnly({ [name]: value })}
    >
      {shown}
    </button>
  )
  const [asked, status, code, duration, time, id] = columnsOf<RefusedRequest>()
  return [
    {
      ...asked!,
      cell: (row) => only('route', row.route, <Path {...row} />, `${row.method} ${row.path}`),
    },
    status!,
    {
      ...code!,
      cell: (row) => (
        <>
          {row.code ? only('code', row.code, row.code) : '–'}
          {row.field && (
            <span className="hint" title={row.field}>
              {' '}
              {row.field}
            </span>
          )}
        </>
      ),
    },
    {
      name: say('column_asker'),
      cell: ({ asker_id }) => (
        <>
          {only('asker_id', asker_id, <Asker id={asker_id} name={names[asker_id]} />, names[asker_id])}
          {asker_id.startsWith('cs_') && (
            <>
              {' '}
              <Link href={pathOf(`sessions/${asker_id}`)}>{say('session')}</Link>
            </>
          )}
        </>
      ),
    },
    duration!,
    time!,
    id!,
  ]
}

function Asker({ id, name }: { id: string; name: string | undefined }) {
  return name === undefined ? <Id id={id} /> : <Name text={name} id={id} />
}

export function columnsOf<Row extends LoggedRequest>(): Column<Row>[] {
  return [
    { name: say('column_request'), kind: 'first', cell: (row) => <Path {...row} /> },
    { name: say('column_status'), kind: 'figure', cell: ({ status }) => status },
    { name: say('column_code'), kind: 'line', cell: ({ code }) => code ?? '–' },
    {
      name: say('column_duration'),
      kind: 'widest',
      cell: ({ duration_ms }) => say('milliseconds', { count: Math.round(duration_ms) }),
    },
    { name: say('column_time'), kind: 'second', cell: ({ at }) => <Moment at={at} /> },
    {
      name: say('request_id'),
      cell: ({ request_id }) => (
        <span className="copyable">
          <Id id={request_id} />
          <CopyButton text={request_id} label={say('request_id')} />
        </span>
      ),
    },
  ]
}

/** `POST /v1/payments/pay_0123…cdef/refunds`: its ids are short. */
function Path({ method, path }: Pick<LoggedRequest, 'method' | 'path'>) {
  return (
    <code className="path" title={`${method} ${path}`}>
      {method}{' '}
      {path.split(/(?<=\/)|(?=\/)/).map((part, at) =>
        /_[0-9a-f]{16,}$/.test(part) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part has no name but its place
          <Id key={at} id={part} />
        ) : (
          part
        ),
      )}
    </code>
  )
}
