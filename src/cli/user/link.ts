// `ripper user link`: a link by which somebody comes in to the dashboard, or back in.

import { readConfig } from '../../config/config.ts'
import { timestamp } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { makeLinkFor } from '../../users/manage-users.ts'
import { dashboardAddress } from '../../users/page-origin.ts'
import { roles } from '../../users/roles.ts'
import { plainEmail } from '../../users/user.ts'
import { choice, text, withCommandContext } from '../command-context.ts'
import { baseUrlOf } from '../service/connection.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { print } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'

const of_no_merchant =
  'This makes an operator, who sees the payments of no merchant by that: --merchant ID --role owner makes them an owner, too.'

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
