// `ripper user disable|unlock|sign-out|operator|role`: shuts somebody out of the dashboard, lets them back in, or changes what they may.

import { merchantOrRefuse } from '../../merchants/manage.ts'
import { changeRoleOf, disableUser, markOperator, signOutUser, unlockUser } from '../../users/manage-users.ts'
import { roles } from '../../users/roles.ts'
import { plainEmail } from '../../users/user.ts'
import { choice, text, withCommandContext } from '../command-context.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { print } from '../terminal/print.ts'

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
