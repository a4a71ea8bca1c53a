// The last run of each background job of the process that answered.

import type { System } from '../client/answers.ts'
import { English } from '../parts/english.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { formatNumber, say } from '../words.ts'

export function Jobs({ jobs }: Pick<System, 'jobs'>) {
  return (
    <Section title={say('jobs')}>
      {jobs.length === 0 ? (
        <p>{say('no_jobs')}</p>
      ) : (
        <Table
          label={say('jobs')}
          rows={jobs}
          keyOf={({ name }) => name}
          columns={[
            { name: say('job'), kind: 'first', cell: ({ name }) => <code>{name}</code> },
            {
              name: say('job_every'),
              kind: 'named',
              cell: ({ every_seconds }) => `${formatNumber(every_seconds)} s`,
            },
            {
              name: say('job_last'),
              kind: 'second',
              cell: ({ began_at }) => <Moment at={began_at} />,
            },
            {
              name: say('column_duration'),
              kind: 'named',
              cell: ({ duration_ms }) => say('milliseconds', { count: Math.round(duration_ms) }),
            },
            {
              name: say('job_result'),
              kind: 'named',
              cell: ({ count, failure }) => (failure ? <English text={failure} /> : formatNumber(count ?? 0)),
            },
          ]}
        />
      )}
    </Section>
  )
}
