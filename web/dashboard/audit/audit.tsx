// Who did what: the journal of this merchant, the newest first.

import { useSearch } from 'wouter'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Actor } from '../parts/actor.tsx'
import { changeWords } from '../parts/change.ts'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say } from '../words.ts'

export function Audit() {
  const { merchant_id } = useHere()
  const actor = new URLSearchParams(useSearch()).get('actor')
  const pages = usePages('GET /{merchant_id}/audit', { merchant_id, query: { limit: 50, actor } })
  const people = Object.assign({}, ...pages.replies.map((reply) => reply.people))
  return (
    <Screen title={say('nav_audit')} lead={say('audit_lead')}>
      <Loaded answer={pages.answer} rows={10}>
        {(lines) =>
          lines.length === 0 ? (
            <Empty title={say('no_lines')} />
          ) : (
            <Table
              label={say('nav_audit')}
              rows={lines}
              keyOf={({ entry_id }) => entry_id}
              columns={[
                {
                  name: say('column_what'),
                  kind: 'first',
                  cell: ({ change }) => <span title={change}>{changeWords(change)}</span>,
                },
                {
                  name: say('column_who'),
                  cell: ({ actor: who }) => <Actor actor={who} people={people} />,
                },
                {
                  name: say('column_subject'),
                  cell: ({ subject }) =>
                    people[subject] ? (
                      <Name text={people[subject]} id={subject} />
                    ) : (
                      <code>{subject}</code>
                    ),
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
      </Loaded>
      <Older pages={pages} />
    </Screen>
  )
}
