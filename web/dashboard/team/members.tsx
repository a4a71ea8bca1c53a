// The members, with their roles and ways in; what a manager may change.

import { useState } from 'react'
import type { ResetLink as MadeLink, Role, Team } from '../client/answers.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { SecretRegion } from '../parts/secret.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'

type Member = Team['members'][number]

export function Members({ team, can_manage }: { team: Team; can_manage: boolean }) {
  const { me, membership } = useHere()
  const [removed, setRemoved] = useState<Member | null>(null)
  const [link, setLink] = useState<MadeLink | null>(null)
  const isChangeable = ({ user_id, role }: Member) =>
    can_manage && user_id !== me.user.user_id && (role !== 'owner' || membership.role === 'owner')
  return (
    <>
      <Table
        label={say('members')}
        rows={team.members}
        keyOf={({ user_id }) => user_id}
        columns={[
          {
            name: say('name'),
            kind: 'first',
            cell: ({ name, email }) => (
              <>
                <Name text={name} /> <span className="hint">{email}</span>
              </>
            ),
          },
          {
            name: say('role'),
            kind: 'named',
            cell: (member) =>
              isChangeable(member) ? <RoleChoice member={member} roles={team.roles} /> : sayCode('role', member.role),
          },
          { name: say('ways_in'), kind: 'named', cell: waysIn },
          {
            name: say('last_seen'),
            kind: 'named',
            cell: ({ seen_at }) => (seen_at ? <Moment at={seen_at} /> : say('never')),
          },
          {
            name: say('reviewed'),
            kind: 'named',
            cell: ({ reviewed_at }) => (reviewed_at ? <Moment at={reviewed_at} /> : say('never')),
          },
          {
            name: say('column_acts'),
            kind: 'acts',
            cell: (member) =>
              isChangeable(member) && (
                <>
                  <ResetLink member={member} onLink={setLink} />
                  <Button size="small" onClick={() => setRemoved(member)}>
                    {say('remove')}
                  </Button>
                </>
              ),
          },
        ]}
      />
      {removed && <RemoveMember member={removed} onClose={() => setRemoved(null)} />}
      {link && (
        <Dialog title={say('reset_link')} onClose={null}>
          <div className="form">
            <SecretRegion
              label={say('reset_link')}
              texts={[link.url]}
              note={say('reset_link_words', { email: link.email })}
              onKept={() => setLink(null)}
            />
          </div>
        </Dialog>
      )}
    </>
  )
}

function waysIn({ has_passkey, has_one_time_codes }: Member): string {
  const ways = [has_passkey && say('passkey'), has_one_time_codes && say('one_time_codes')]
  return ways.filter(Boolean).join(', ') || '–'
}

/** A choice that is asked about first: the arrow keys choose on a closed list, and a new role signs its person out. */
function RoleChoice({ member, roles }: { member: Member; roles: Team['roles'] }) {
  const { membership } = useHere()
  const [asked, setAsked] = useState<Role | null>(null)
  // An admin makes no owners.
  const offered = roles.filter(({ role }) => role !== 'owner' || membership.role === 'owner' || role === member.role)
  return (
    <>
      <select
        aria-label={say('role_of', { name: member.name })}
        value={asked ?? member.role}
        onChange={({ target }) => setAsked(target.value as Role)}
      >
        {offered.map(({ role }) => (
          <option key={role} value={role}>
            {sayCode('role', role)}
          </option>
        ))}
      </select>
      {asked && asked !== member.role && <ChangeRole member={member} role={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

type ChangeRoleProps = { member: Member; role: Role; onClose: () => void }

function ChangeRole({ member: { user_id, name }, role, onClose }: ChangeRoleProps) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/team/{user_id}/role', ['GET /{merchant_id}/team'])
  return (
    <Dialog title={say('new_role')} onClose={onClose}>
      <p>{say('new_role_words', { name, role: sayCode('role', role) })}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button
          look="primary"
          is_busy={act.isPending}
          onClick={() => act.mutate({ merchant_id, user_id, body: { role } }, { onSuccess: onClose })}
        >
          {say('new_role')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}

function ResetLink({ member, onLink }: { member: Member; onLink: (link: MadeLink) => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/team/{user_id}/reset-link')
  const { user_id, email } = member
  const make = () =>
    act.mutate(
      { merchant_id, user_id, body: {} },
      {
        onSuccess: (made) => {
          onLink({ ...made, email })
          act.reset()
        },
      },
    )
  return (
    <>
      <Button size="small" look="plain" is_busy={act.isPending} onClick={make}>
        {say('make_reset_link')}
      </Button>
      <RefusalAlert refused={act.error} />
    </>
  )
}

/** The keys that go on working. */
function KeysOf({ member }: { member: Member }) {
  const { merchant_id, may } = useHere()
  const { data } = useAnswer('GET /{merchant_id}/keys', { merchant_id }, { is_wanted: may('manage_keys') })
  const made = data?.keys.filter(({ made_by, state }) => made_by === member.user_id && state === 'usable')
  if (!made?.length) return null
  return (
    <>
      <p>{say('keys_made_by', { name: member.name })}</p>
      <ul>
        {made.map(({ key_id, name }) => (
          <li key={key_id}>{name ?? key_id}</li>
        ))}
      </ul>
    </>
  )
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('DELETE /{merchant_id}/team/{user_id}', ['GET /{merchant_id}/team'])
  const { user_id, name } = member
  return (
    <Dialog title={say('remove_member')} onClose={onClose}>
      <p>{say('remove_member_words', { name })}</p>
      <KeysOf member={member} />
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button onClick={onClose}>{say('cancel')}</Button>
        <Button
          look="danger"
          is_busy={act.isPending}
          onClick={() => act.mutate({ merchant_id, user_id }, { onSuccess: onClose })}
        >
          {say('remove_member')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
