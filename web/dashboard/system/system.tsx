// The whole installation, for its operators: what the doctor finds, orphans and the brake, differences, jobs.

import { useAnswer } from '../client/query.ts'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { formatNumber, say } from '../words.ts'
import { Brake } from './brake.tsx'
import { CheckUp } from './check-up.tsx'
import { Findings } from './findings.tsx'
import { Jobs } from './jobs.tsx'
import { Orphans } from './orphans.tsx'

export function System() {
  const wanted = { every_ms: 30_000 }
  const system = useAnswer('GET /system', {}, wanted)
  const orphans = useAnswer('GET /system/orphans', {}, wanted)
  return (
    <Screen title={say('nav_system')} lead={say('system_lead')}>
      <Loaded answer={system} rows={6}>
        {({ check_up }) => <CheckUp check_up={check_up} />}
      </Loaded>
      <Loaded answer={orphans} rows={4}>
        {(found) => (
          <>
            <Brake brakes={found.brakes} sweeps={found.sweeps} unlisted={found.unlisted} />
            <Orphans orphans={found.orphans} />
            <Findings findings={found.findings} />
          </>
        )}
      </Loaded>
      {system.data && (
        <>
          <Section title={say('this_process')}>
            <Facts
              rows={[
                [say('version'), system.data.version],
                [say('database'), `PostgreSQL ${system.data.database.server_version}`],
                [say('database_size'), `${formatNumber(Math.round(system.data.database.size_bytes / 2 ** 20))} MiB`],
                [say('newest_migration'), system.data.database.migration],
                [say('clock_now'), <Moment key="now" at={system.data.now} is_exact />],
                [say('clock_fault'), system.data.clock.fault],
                [
                  say('clock_offset'),
                  system.data.clock.offset_seconds === 0 ? null : `${formatNumber(system.data.clock.offset_seconds)} s`,
                ],
              ]}
            />
          </Section>
          <Jobs jobs={system.data.jobs} />
        </>
      )}
    </Screen>
  )
}
