// `ripper connection create|rotate|disable`: a merchant's accounts at acquirers and 3-D Secure providers.

import { type Connection, isLabel, label_words, noticeUrl } from '../../connections/connection.ts'
import { connectors, type KnownConnector } from '../../connections/connectors.ts'
import {
  connectionOrRefuse,
  createConnection,
  disableConnection,
  rotateCredentials,
} from '../../connections/manage-connections.ts'
import { connection_modes } from '../../kernel/connection-mode.ts'
import { timestamp } from '../../kernel/values.ts'
import type { ConnectionKind } from '../../merchants/account-connection.ts'
import { choice, text, withCommandContext } from '../command-context.ts'
import { baseUrlOf } from '../service/connection.ts'
import { type Command, CommandError, type Options, UsageError } from '../terminal/command.ts'
import { print, printLine } from '../terminal/print.ts'
import {
  credentialsOption,
  judgeFile,
  members_words,
  readCredentialsFile,
  warnOfEnvironment,
} from './credentials-file.ts'

const namesOf = (kind: ConnectionKind) => connectors.filter((each) => each.kind === kind).map(({ name }) => name)
const optionsOfKinds = { acquirer: 'acquirer', three_ds: 'three-ds' } as const

export const connectionCreate: Command = {
  name: 'connection create',
  summary: "Makes a connection to a merchant's account at an acquirer or a 3-D Secure provider",
  options: {
    merchant: { value: 'ID', required: true, meaning: 'the merchant' },
    acquirer: { value: namesOf('acquirer').join('|'), meaning: 'the acquirer' },
    'three-ds': { value: namesOf('three_ds').join('|'), meaning: 'the 3-D Secure provider' },
    label: {
      value: 'L',
      required: true,
      meaning: 'what the acquiring profile calls it; unique for the merchant',
    },
    mode: { value: 'live|sandbox', meaning: 'whose credentials they are (live)' },
    credentials: credentialsOption,
  },
  remarks: [
    members_words,
    'The credentials are sealed in the database, and never shown again. ripper connection check tries them.',
  ],
  async run({ options, json }) {
    const connector = connectorNamed(options)
    const asked = {
      kind: connector.kind,
      connector: connector.name,
      label: labelOf(options),
      mode: choice(options, 'mode', connection_modes) ?? ('live' as const),
    }
    const file = readCredentialsFile(options)
    const credentials = await judgeFile(connector, { file, mode: asked.mode })
    const merchant_id = text(options, 'merchant')!
    const made = await withCommandContext((context) =>
      createConnection(context, merchant_id, { ...asked, credentials }),
    )
    print(viewCreated(made), json)
    warnOfEnvironment(connector, { credentials, mode: asked.mode })
    if (json) return
    printLine(`\nripper connection check ${made.connection_id} tries the credentials.`)
    if (made.kind === 'acquirer') printLine("Set up notice_url at the acquirer, signed by the file's key.")
  },
}

export const connectionRotate: Command = {
  name: 'connection rotate',
  summary: "Puts other credentials in place of a connection's",
  positionals: ['CONNECTION_ID'],
  options: { credentials: credentialsOption },
  remarks: [
    'Calls are made with the new ones within seconds. Notices that are signed by the old ones count for another day.',
    members_words,
  ],
  async run({ options, positionals, json }) {
    const [id] = positionals as [string]
    const file = readCredentialsFile(options)
    const { rotated, credentials } = await withCommandContext(async (context) => {
      const found = await connectionOrRefuse(context, id)
      const credentials = await judgeFile(connectorOf(found), { file, mode: found.mode })
      return { rotated: await rotateCredentials(context, id, credentials), credentials }
    })
    const { previous_until } = rotated
    print({ ...viewCreated(rotated), previous_until: timestamp(previous_until) }, json)
    warnOfEnvironment(connectorOf(rotated), { credentials, mode: rotated.mode })
  },
}

export const connectionDisable: Command = {
  name: 'connection disable',
  summary: 'Lets no new charge go to a connection, in every process at once',
  positionals: ['CONNECTION_ID'],
  options: {},
  remarks: [
    'What it has charged is still looked up, captured and voided there: keep its credentials valid until that is\n' +
      'over. Live sessions of a merchant whose profile names it are refused.',
  ],
  async run({ positionals, json }) {
    const disabled = await withCommandContext((context) => disableConnection(context, positionals[0]!))
    const disabled_at = timestamp(disabled.disabled_at!)
    print({ ...viewCreated(disabled), disabled_at }, json)
  },
}

function viewCreated(connection: Connection) {
  const { connection_id, merchant_id, kind, connector, label, mode, state } = connection
  return {
    connection_id,
    merchant_id,
    kind,
    connector,
    label,
    mode,
    state,
    notice_url: noticeUrl(baseUrlOf({}), connection),
  }
}

function connectorNamed(options: Options): KnownConnector {
  const [acquirer, three_ds] = (['acquirer', 'three_ds'] as const).map((kind) =>
    choice(options, optionsOfKinds[kind], namesOf(kind)),
  )
  if (acquirer && three_ds) throw new UsageError('takes --acquirer or --three-ds, not both')
  const name = acquirer ?? three_ds
  if (!name) throw new UsageError('needs --acquirer or --three-ds')
  return connectorOf({ connector: name })
}

function connectorOf({ connector }: { connector: string }): KnownConnector {
  const known = connectors.find(({ name }) => name === connector)
  if (known) return known
  throw new CommandError(`This release does not know ${connector}.`)
}

function labelOf(options: Options): string {
  const label = text(options, 'label')!
  if (isLabel(label)) return label
  throw new UsageError(`--label must have ${label_words}`)
}
