// Who belongs to this merchant, with which role; invitations that are open; what each role may do.

import { useState } from 'react'
import type { Team as TeamRead } from '../client/answers.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'
import { Invite } from './invite.tsx'
import { Members } from './members.tsx'
import { RefundLimits } from './refund-limits.tsx'
import { RoleTable } from './role-table.tsx'

export function Team() {
  const { merchant_id, may } = useHere()
  const [is_inviting, setInviting] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/team', { merchant_id })
  const can_manage = may('manage_members')
  return (
    <Screen
      title={say('nav_team')}
      acts={
        can_manage && (
          <>
            <Review />
            <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
              {say('invite')}
            </Button>
          </>
        )
      }
    >
      <Loaded answer={answer}>
        {(team) => (
          <>
            <Members team={team} can_manage={can_manage} />
            {team.invitations.length > 0 && <Invitations invitations={team.invitations} can_manage={can_manage} />}
            <RefundLimits can_manage={can_manage} />
            <RoleTable roles={team.roles} />
          </>
        )}
      </Loaded>
      {is_inviting && <Invite onClose={() => setInviting(false)} />}
    </Screen>
  )
}

/** Every half year somebody has to confirm who may do what. */
function Review() {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/team/review', ['GET /{merchant_id}/team'])
  return (
    <>
      <RefusalAlert refused={act.error} />
      <Button is_busy={act.isPending} onClick={() => act.mutate({ merchant_id, body: {} })}>
        {say('confirm_all')}
      </Button>
    </>
  )
}

function Invitations({ invitations, can_manage }: { invitations: TeamRead['invitations']; can_manage: boolean }) {
  const { merchant_id } = useHere()
  const act = useAct('DELETE /{merchant_id}/team/invitations/{link_id}', ['GET /{merchant_id}/team'])
  return (
    <Section title={say('invitations')}>
      <RefusalAlert refused={act.error} />
      <Table
        label={say('invitations')}
        rows={invitations}
        keyOf={({ link_id }) => link_id}
        columns={[
          { name: say('email'), kind: 'first', cell: ({ email }) => email },
          { name: say('role'), kind: 'named', cell: ({ role }) => sayCode('role', role) },
          {
            name: say('expires'),
            kind: 'named',
            cell: ({ expires_at }) => <Moment at={expires_at} />,
          },
          {
            name: say('column_acts'),
            kind: 'acts',
            cell: ({ link_id }) =>
              can_manage && (
                <Button size="small" onClick={() => act.mutate({ merchant_id, link_id })}>
                  {say('withdraw')}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  )
}
