// `ripper user disable|unlock|sign-out|operator|role`: shuts somebody out of the dashboard, lets them back in, or changes what they may.

import { readConfig } from '../config/config.ts'
import { timestamp, timestampOrNull } from '../kernel/values.ts'
import { merchantOrRefuse } from '../merchants/manage.ts'
import { changeRoleOf, disableUser, makeLinkFor, markOperator, signOutUser, unlockUser } from '../users/manage-users.ts'
import { dashboardAddress } from '../users/page-origin.ts'
import { roles } from '../users/roles.ts'
import { type ListedUser, listUsers, plainEmail } from '../users/user.ts'
import { choice, text, withCommandContext } from './command-context.ts'
import { baseUrlOf } from './service/connection.ts'
import { type Command, UsageError } from './terminal/command.ts'
import { oneLine, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const userDisable: Command = {
  name: 'user disable',
  summary: 'Lets somebody in no more, and ends their sessions at once',
  positionals: ['EMAIL'],
  options: {},
  async run({ positionals, json }) {
    const email = emailIn(positionals)
    const { user_id } = await withCommandContext((context) => disableUser(context, email))
    print({ user_id, email, is_disabled: true }, json)
  },
}

export const userUnlock: Command = {
  name: 'user unlock',
  summary: 'Lets somebody in again who was disabled, or locked after ten failures',
  positionals: ['EMAIL'],
  options: {},
  async run({ positionals, json }) {
    const email = emailIn(positionals)
    const { user_id } = await withCommandContext((context) => unlockUser(context, email))
    print({ user_id, email, is_disabled: false }, json)
  },
}

export const userSignOut: Command = {
  name: 'user sign-out',
  summary: "Ends somebody's sessions at once; they may sign in again",
  positionals: ['EMAIL'],
  options: {},
  async run({ positionals, json }) {
    const email = emailIn(positionals)
    const sessions_ended = await withCommandContext((context) => signOutUser(context, email))
    print({ email, sessions_ended }, json)
  },
}

export const userOperator: Command = {
  name: 'user operator',
  summary: 'Makes somebody an operator of the installation, and ends their sessions',
  positionals: ['EMAIL'],
  options: { remove: { meaning: 'take the mark away instead; one operator must be left' } },
  async run({ positionals, options, json }) {
    const asked = { email: emailIn(positionals), is_operator: options.remove !== true }
    const { user_id } = await withCommandContext((context) => markOperator(context, asked))
    print({ user_id, ...asked }, json)
  },
}

export const userRole: Command = {
  name: 'user role',
  summary: 'Gives a member of a merchant another role, and ends their sessions',
  positionals: ['EMAIL'],
  options: {
    merchant: { value: 'ID', required: true, meaning: 'the merchant that they are a member of' },
    role: { value: roles.join('|'), required: true, meaning: 'what they may do there' },
  },
  async run({ positionals, options, json }) {
    const [email, role] = [emailIn(positionals), choice(options, 'role', roles)!]
    const named = text(options, 'merchant')!
    const { user_id, merchant_id } = await withCommandContext(async (context) => {
      const { merchant_id } = await merchantOrRefuse(context.sql, named)
      return { ...(await changeRoleOf(context, { email, merchant_id, role })), merchant_id }
    })
    print({ user_id, email, merchant_id, role }, json)
  },
}

function emailIn([typed]: string[]): string {
  const email = plainEmail(typed!)
  if (email === null) throw new UsageError('takes an e-mail address')
  return email
}

const of_no_merchant =
  'This makes an operator, who sees the payments of no merchant by that: --merchant ID --role owner makes them an owner, too.'

/** `ripper user link`: a link by which somebody comes in to the dashboard, or back in. */
export const userLink: Command = {
  name: 'user link',
  summary: 'Makes a link by which somebody comes in to the dashboard, or back in; it works once',
  options: {
    email: { value: 'EMAIL', required: true, meaning: 'whose account it is' },
    operator: { meaning: 'they become an operator of the installation' },
    merchant: { value: 'ID', meaning: 'they join this merchant; needs --role' },
    role: { value: roles.join('|'), meaning: 'what they may do there' },
    'base-url': {
      value: 'URL',
      meaning: "the service's address; by default that of its last start here",
    },
  },
  remarks: [
    'Whoever has an account and is given nothing new gets a link that opens it anew: their passkeys, password, one-time and\n' +
      'recovery codes go, and their sessions end. Make sure who asks. Hand the link over by a way that nobody else reads.',
  ],
  async run({ options, json }) {
    const email = plainEmail(text(options, 'email')!)
    if (email === null) throw new UsageError('--email must be an e-mail address')
    const named = text(options, 'merchant')
    const role = choice(options, 'role', roles)
    if ((named === null) !== (role === null)) {
      throw new UsageError('--merchant and --role belong together')
    }
    const base_url = readConfig(terminal().environment).dashboard_url ?? baseUrlOf(options)
    const is_operator = options.operator === true
    const { link, url } = await withCommandContext(async (context) => {
      const merchant_id = named && (await merchantOrRefuse(context.sql, named)).merchant_id
      const office = { ...context, dashboard_url: dashboardAddress(base_url) }
      return makeLinkFor(office, { email, is_operator, merchant_id, role })
    })
    const { purpose, expires_at } = link
    if (is_operator && named === null) terminal().stderr.write(`${of_no_merchant}\n`)
    print({ url, email, purpose, expires_at: timestamp(expires_at) }, json)
  },
}

/** `ripper user list`: who may sign in to the dashboard, and what they may do where. */
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
