// What the doctor finds: first what is wrong, with what to do about it.

import type { System } from '../client/answers.ts'
import { English } from '../parts/english.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'

const looks = { ok: 'good', warning: 'wait', problem: 'bad', not_checked: 'off' } as const
const order = ['problem', 'warning', 'not_checked', 'ok']

export function CheckUp({ check_up }: Pick<System, 'check_up'>) {
  if (!check_up) {
    return (
      <Section title={say('check_up')}>
        <p>{say('no_check_up')}</p>
      </Section>
    )
  }
  const { looked_at, checks } = check_up
  const wrong = checks
    .filter(({ status }) => status !== 'ok')
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  const right = checks.filter(({ status }) => status === 'ok')
  return (
    <Section title={say('check_up')}>
      <p className="hint">
        {say('looked_at')} <Moment at={looked_at} is_exact />
      </p>
      {wrong.length === 0 ? <p>{say('all_is_well')}</p> : <Checks checks={wrong} label={say('check_up')} />}
      <details>
        <summary>{say('what_is_fine')}</summary>
        <Checks checks={right} label={say('what_is_fine')} />
      </details>
    </Section>
  )
}

type Check = NonNullable<System['check_up']>['checks'][number]

function Checks({ checks, label }: { checks: Check[]; label: string }) {
  return (
    <Table
      label={label}
      rows={checks}
      keyOf={({ name }) => name}
      columns={[
        { name: say('check_name'), kind: 'first', cell: ({ name }) => <English text={name} /> },
        {
          name: say('column_status'),
          kind: 'second',
          cell: ({ status }) => <span className={`status ${looks[status]}`}>{sayCode('check', status)}</span>,
        },
        {
          name: say('check_found'),
          cell: ({ found, to_do }) => (
            <>
              <English text={found} />
              {to_do && (
                <p className="hint">
                  <English text={to_do} />
                </p>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
