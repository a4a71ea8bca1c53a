// `ripper user link|list|disable|unlock|sign-out|operator|role`: who comes in to the dashboard, and what they may do
// there.

import { z } from 'zod'
import { readConfig } from '../config/config.ts'
import { merchantOrRefuse } from '../merchants/manage.ts'
import { changeRoleOf, disableUser, makeLinkFor, markOperator, signOutUser, unlockUser } from '../users/manage-users.ts'
import { dashboardAddress } from '../users/page-origin.ts'
import { roles } from '../users/roles.ts'
import { type ListedUser, listUsers, plainEmail } from '../users/user.ts'
import { type CommandContext, merchantNamed, withCommandContext } from './command-context.ts'
import { baseUrlOf, baseUrlOption } from './service/connection.ts'
import { type Command, UsageError } from './terminal/command.ts'
import { command, flag, needed, type Option, option, type ValuesOf } from './terminal/option.ts'
import { oneLine, print, printJson, printList, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const emailOption = option('EMAIL', 'whose account it is')
const roleOption = option(null, 'what they may do there', z.enum(roles))

export const userLink = command({
  name: 'user link',
  summary: 'Makes a link by which somebody comes in to the dashboard, or back in; it works once',
  options: {
    email: needed(emailOption),
    operator: flag('they become an operator of the installation'),
    merchant: option('ID', 'they join this merchant; needs --role'),
    role: roleOption,
    'base-url': baseUrlOption,
  },
  remarks: [
    'Whoever has an account and is given nothing new gets a link that opens it anew: their passkeys, password, one-time and\n' +
      'recovery codes go, and their sessions end. Make sure who asks. Hand the link over by a way that nobody else reads.',
  ],
  async run({ options: { merchant, role = null, operator: is_operator, ...options }, json }) {
    const email = plainEmail(options.email)
    if (email === null) throw new UsageError('--email must be an e-mail address')
    if ((merchant === undefined) !== (role === null)) throw new UsageError('--merchant and --role belong together')
    const base_url = readConfig(terminal().environment).dashboard_url ?? baseUrlOf(options)
    const { link, url } = await withCommandContext(async (context) => {
      const merchant_id = await merchantNamed(context.sql, merchant)
      const office = { ...context, dashboard_url: dashboardAddress(base_url) }
      return makeLinkFor(office, { email, is_operator, merchant_id, role })
    })
    if (is_operator && merchant === undefined) {
      terminal().stderr.write(
        'This makes an operator, who sees the payments of no merchant by that: --merchant ID --role owner makes them an owner, too.\n',
      )
    }
    print({ url, email, purpose: link.purpose, expires_at: link.expires_at }, json)
  },
})

export const userDisable = emailCommand({
  name: 'user disable',
  summary: 'Lets somebody in no more, and ends their sessions at once',
  options: {},
  async act(context, email) {
    const { user_id } = await disableUser(context, email)
    return { user_id, email, is_disabled: true }
  },
})

export const userUnlock = emailCommand({
  name: 'user unlock',
  summary: 'Lets somebody in again who was disabled, or locked after ten failures',
  options: {},
  async act(context, email) {
    const { user_id } = await unlockUser(context, email)
    return { user_id, email, is_disabled: false }
  },
})

export const userSignOut = emailCommand({
  name: 'user sign-out',
  summary: "Ends somebody's sessions at once; they may sign in again",
  options: {},
  act: async (context, email) => ({ email, sessions_ended: await signOutUser(context, email) }),
})

export const userOperator = emailCommand({
  name: 'user operator',
  summary: 'Makes somebody an operator of the installation, and ends their sessions',
  options: { remove: flag('take the mark away instead; one operator must be left') },
  async act(context, email, { remove }) {
    const mark = { email, is_operator: !remove }
    const { user_id } = await markOperator(context, mark)
    return { user_id, ...mark }
  },
})

export const userRole = emailCommand({
  name: 'user role',
  summary: 'Gives a member of a merchant another role, and ends their sessions',
  options: { merchant: needed(option('ID', 'the merchant that they are a member of')), role: needed(roleOption) },
  async act(context, email, { merchant, role }) {
    const { merchant_id } = await merchantOrRefuse(context.sql, merchant)
    const { user_id } = await changeRoleOf(context, { email, merchant_id, role })
    return { user_id, email, merchant_id, role }
  },
})

/** A command that does something about one person. */
function emailCommand<Options extends Record<string, Option<unknown>>>({
  act,
  ...record
}: {
  name: string
  summary: string
  options: Options
  act(context: CommandContext, email: string, options: ValuesOf<Options>): Promise<Record<string, unknown>>
}): Command {
  return command({
    ...record,
    positionals: ['EMAIL'],
    async run({ positionals, options, json }) {
      const email = plainEmail(positionals[0]!)
      if (email === null) throw new UsageError('takes an e-mail address')
      print(await withCommandContext((context) => act(context, email, options)), json)
    },
  })
}

export const userList = command({
  name: 'user list',
  summary: 'Lists the people who may sign in to the dashboard, oldest first',
  options: {},
  async run({ json }) {
    const { users, now } = await withCommandContext(async ({ sql, clock }) => ({
      users: await listUsers(sql),
      now: clock.now(),
    }))
    if (json) printJson(users.map(viewUser))
    else {
      printList(users, {
        headings: ['user', 'email', 'name', 'state', 'seen', 'role'],
        cells: (user) => rowOf(user, now),
        nothing: 'Nobody may sign in yet: ripper user link makes a link for the first.',
      })
    }
  },
})

function viewUser({ user_id, email, name, is_operator, memberships, disabled_at, seen_at }: ListedUser) {
  return { user_id, email, name, is_operator, memberships, disabled_at, seen_at }
}

function rowOf(user: ListedUser, now: Date): string[] {
  const { user_id, email, name, is_operator, memberships, seen_at, disabled_at, locked_until } = user
  const at_merchants = memberships.map(({ merchant_id, role }) => `${role} of ${merchant_id}`)
  const state = disabled_at ? 'disabled' : locked_until && locked_until > now ? 'locked' : 'active'
  const who = [user_id, oneLine(email, 40), oneLine(name, 30), state, shortTime(seen_at)]
  return [...who, [...(is_operator ? ['operator'] : []), ...at_merchants].join(', ') || '–']
}
