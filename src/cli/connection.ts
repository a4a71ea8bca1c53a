// `ripper connection create|rotate|disable`: a merchant's accounts at acquirers and 3-D Secure providers.

import { readFileSync } from 'node:fs'
import { readConfig } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { checkConnection } from '../connections/check-connection.ts'
import { type Connection, type Credentials, isLabel, label_words, noticeUrl } from '../connections/connection.ts'
import { listConnections } from '../connections/connection-store.ts'
import { connectors, type KnownConnector, membersWords } from '../connections/connectors.ts'
import { environmentDoubt } from '../connections/environment.ts'
import { judgeCredentials } from '../connections/judge-credentials.ts'
import {
  connectionOrRefuse,
  createConnection,
  disableConnection,
  rotateCredentials,
} from '../connections/manage-connections.ts'
import { bodyLimits } from '../http/body-limits.ts'
import { readJson } from '../http/json.ts'
import { type ConnectionMode, connection_modes } from '../kernel/connection-mode.ts'
import { Refusal } from '../kernel/errors.ts'
import { timestamp, timestampOrNull } from '../kernel/values.ts'
import type { ConnectionKind } from '../merchants/account-connection.ts'
import { merchantOrRefuse } from '../merchants/manage.ts'
import { realClock } from '../outgoing/real-world.ts'
import { apiUrlJudge } from '../service/api-urls.ts'
import { openWire } from '../vendors/wire.ts'
import { choice, everyMerchantOption, text, withCommandContext } from './command-context.ts'
import { baseUrlOf } from './service/connection.ts'
import { type Command, CommandError, type OptionSpec, type Options, UsageError } from './terminal/command.ts'
import { oneLine, paintState, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const networks_variable = settings.connection_allowed_networks.name

/**
 * Reads and judges the credentials that a command is given. They are never repeated, not even where they are no
 * JSON.
 */
const credentialsOption: OptionSpec = {
  value: 'FILE.json',
  required: true,
  meaning: "the vendor's credentials as a JSON object; - reads them from standard input",
}

/** Each connector's members, for help texts. */
const members_words = [
  'Members of the file, those in brackets where they are needed:',
  ...membersWords(connectors).map((line) => `  ${line}`),
  `api_url replaces the vendor's own address: https, or one in ${networks_variable}, by http too.`,
].join('\n')

/** What `--credentials` names, as JSON. Throws a UsageError. */
function readCredentialsFile(options: Options): unknown {
  const path = text(options, 'credentials')!
  try {
    return readJson(contentOf(path), bodyLimits.fields)
  } catch (error) {
    // A member that stands twice has two values, of which nobody knows the right one.
    if (!(error instanceof Refusal)) throw error
    const is_json = error.field !== null && error.field !== 'body'
    const words = `: ${error.message.replace(/\.$/, '')}`
    throw new UsageError(`--credentials${is_json ? words : ' must name a file that holds JSON'}`)
  }
}

/** The credentials as they are kept. Throws a Refusal that names the member. */
function judgeFile(connector: KnownConnector, asked: { file: unknown; mode: ConnectionMode }): Promise<Credentials> {
  return judgeCredentials(connector, asked, apiUrlJudge(readConfig(terminal().environment), realClock()))
}

/** Warns of a key of the other environment that `api_url` leads to another address. The command goes on. */
function warnOfEnvironment(connector: KnownConnector, asked: { credentials: Credentials; mode: ConnectionMode }): void {
  const doubt = environmentDoubt(connector, asked.credentials, asked.mode)
  if (doubt !== null) terminal().stderr.write(`Warning: ${doubt}. It is taken because of api_url.\n`)
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw new UsageError(`--credentials cannot be read: ${(error as Error).message}`)
  }
}

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

const limit_ms = 20_000
const reason_max = 300

/** `ripper connection check`: whether the vendor takes a connection's credentials. */
export const connectionCheck: Command = {
  name: 'connection check',
  summary: 'Asks the vendor whether it takes the credentials; moves nothing',
  positionals: ['CONNECTION_ID'],
  options: {},
  remarks: ['The exit status is 1 where it does not, or could not be asked.'],
  async run({ positionals, json }) {
    const { row, answer } = await withCommandContext(async (context) => {
      const { keyring, vendor_http, clock } = context
      const found = await connectionOrRefuse(context, positionals[0]!)
      const parts = { keyring, clock, connectors, wire: openWire(vendor_http) }
      return { row: found, answer: await checkConnection(parts, found, limit_ms) }
    })
    const { connection_id, merchant_id, kind, connector, label, mode, state } = row
    const works = answer.result === 'works'
    if (json) {
      printJson({
        connection_id,
        merchant_id,
        kind,
        connector,
        label,
        mode,
        state,
        works,
        reason: works ? null : answer.reason,
        notes: works ? answer.notes : [],
      })
    } else if (works) {
      printLine(`${connector} takes the credentials of ${label} (${connection_id}).`)
      for (const note of answer.notes) printLine(oneLine(note, reason_max))
    } else {
      const reason = oneLine(answer.reason, reason_max)
      terminal().stderr.write(`${connector}, ${label} (${connection_id}): ${reason}\n`)
    }
    return works ? 0 : 1
  },
}

/** `ripper connection list`: the connections of merchants. Their credentials are shown to nobody. */
export const connectionList: Command = {
  name: 'connection list',
  summary: 'Lists the connections of a merchant, or of all, oldest first; no credentials are shown',
  options: { merchant: everyMerchantOption },
  async run({ options, json }) {
    const named = text(options, 'merchant')
    const { merchant_id, found } = await withCommandContext(async ({ sql }) => {
      const whose = named && (await merchantOrRefuse(sql, named)).merchant_id
      return { merchant_id: whose, found: await listConnections(sql, whose) }
    })
    const base_url = baseUrlOf({})
    if (json) {
      const connections = found.map((each) => viewConnection(each, base_url))
      printJson({ merchant_id, connections })
    } else if (found.length === 0) {
      const whose = merchant_id === null ? 'There is' : `The merchant ${merchant_id} has`
      printLine(`${whose} no connection. ripper connection create makes one.`)
    } else printConnections(found, merchant_id === null)
  },
}

function viewConnection(connection: Connection, base_url: string) {
  const { created_at, rotated_at, disabled_at, ...told } = connection
  return {
    ...told,
    notice_url: noticeUrl(base_url, connection),
    created_at: timestamp(created_at),
    rotated_at: timestampOrNull(rotated_at),
    disabled_at: timestampOrNull(disabled_at),
  }
}

function printConnections(connections: Connection[], with_merchant: boolean): void {
  const headings = ['connection', 'label', 'connector', 'mode', 'state', 'created']
  printTable(
    with_merchant ? ['merchant', ...headings] : headings,
    connections.map((each) => (with_merchant ? [each.merchant_id, ...rowOf(each)] : rowOf(each))),
  )
}

function rowOf({ connection_id, label, connector, mode, state, created_at }: Connection): string[] {
  return [connection_id, label, connector, mode, paintState(state), shortTime(created_at)]
}
