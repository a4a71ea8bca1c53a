// What each role may do, as the service has it.

import type { Team } from '../client/answers.ts'
import { Icon } from '../parts/icon.tsx'
import { ScrollPlace } from '../parts/scroll-place.tsx'
import { say, sayCode } from '../words.ts'

export function RoleTable({ roles }: { roles: Team['roles'] }) {
  const permissions = [...new Set(roles.flatMap(({ permissions: { test, live } }) => [...test, ...live]))]
  return (
    <details className="section">
      <summary>{say('what_roles_may')}</summary>
      <ScrollPlace label={say('what_roles_may')}>
        <table aria-label={say('what_roles_may')} className="plain">
          <thead>
            <tr>
              <th scope="col">{say('permission')}</th>
              {roles.map(({ role }) => (
                <th key={role} scope="col">
                  {sayCode('role', role)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {permissions.map((permission) => (
              <tr key={permission}>
                <th scope="row">{sayCode('permission', permission)}</th>
                {roles.map(({ role, permissions: { test, live } }) => (
                  <td key={role}>
                    {role === 'support' && permission === 'refund_payments' ? (
                      say('up_to_limit')
                    ) : (
                      <May in_test={test.includes(permission)} in_live={live.includes(permission)} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollPlace>
    </details>
  )
}

function May({ in_test, in_live }: { in_test: boolean; in_live: boolean }) {
  if (!in_test && !in_live) return <span className="nothing">{say('no')}</span>
  if (!in_live) return <>{say('test_only')}</>
  return (
    <>
      <Icon name="done" />
      <span className="unseen">{say('yes')}</span>
    </>
  )
}
