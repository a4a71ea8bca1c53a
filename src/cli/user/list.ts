// `ripper user list`: who may sign in to the dashboard, and what they may do where.

import { timestampOrNull } from '../../kernel/values.ts'
import { type ListedUser, listUsers } from '../../users/user.ts'
import { withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { oneLine, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

export const userList: Command = {
  name: 'user list',
  summary: 'Lists the people who may sign in to the dashboard, oldest first',
  options: {},
  async run({ json }) {
    const { users, now } = await withCommandContext(async ({ sql, clock }) => ({
      users: await listUsers(sql),
      now: clock.now(),
    }))
    if (json) printJson(users.map(viewUser))
    else if (users.length === 0) {
      printLine('Nobody may sign in yet: ripper user link makes a link for the first.')
    } else {
      printTable(
        ['user', 'email', 'name', 'state', 'seen', 'role'],
        users.map((user) => rowOf(user, now)),
      )
    }
  },
}

function viewUser({ user_id, email, name, is_operator, memberships, ...user }: ListedUser) {
  return {
    user_id,
    email,
    name,
    is_operator,
    memberships,
    disabled_at: timestampOrNull(user.disabled_at),
    seen_at: timestampOrNull(user.seen_at),
  }
}

function rowOf(user: ListedUser, now: Date): string[] {
  const { user_id, email, name, is_operator, memberships, seen_at } = user
  const roles = memberships.map(({ merchant_id, role }) => `${role} of ${merchant_id}`)
  return [
    user_id,
    oneLine(email, 40),
    oneLine(name, 30),
    stateOf(user, now),
    seen_at ? shortTime(seen_at) : '–',
    [...(is_operator ? ['operator'] : []), ...roles].join(', ') || '–',
  ]
}

function stateOf({ disabled_at, locked_until }: ListedUser, now: Date): string {
  if (disabled_at) return 'disabled'
  return locked_until && locked_until > now ? 'locked' : 'active'
}
