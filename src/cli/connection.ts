// `ripper connection create|rotate|disable|list|check`: a merchant's accounts at acquirers and 3-D Secure providers.
// Credentials are shown to nobody, and never repeated, not even where they are no JSON.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
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
import type { ConnectionKind } from '../merchants/account-connection.ts'
import { realClock } from '../outgoing/real-world.ts'
import { apiUrlJudge } from '../service/api-urls.ts'
import { openWire } from '../vendor-wire/wire.ts'
import { everyMerchantOption, merchantNamed, withCommandContext } from './command-context.ts'
import { baseUrlOf } from './service/connection.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { command, needed, option, withDefault } from './terminal/option.ts'
import {
  hasNo,
  ofMerchants,
  oneLine,
  paintState,
  print,
  printJson,
  printLine,
  printList,
  shortTime,
} from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const namesOf = (kind: ConnectionKind) => connectors.filter((each) => each.kind === kind).map(({ name }) => name)

const credentialsOption = needed(
  option('FILE.json', "the vendor's credentials as a JSON object; - reads them from standard input"),
)

const members_words = [
  'Members of the file, those in brackets where they are needed:',
  ...membersWords(connectors).map((line) => `  ${line}`),
  `api_url replaces the vendor's own address: https, or one in ${settings.connection_allowed_networks.name}, by http too.`,
].join('\n')

export const connectionCreate = command({
  name: 'connection create',
  summary: "Makes a connection to a merchant's account at an acquirer or a 3-D Secure provider",
  options: {
    merchant: needed(option('ID', 'the merchant')),
    acquirer: option(null, 'the acquirer', z.enum(namesOf('acquirer'))),
    'three-ds': option(null, 'the 3-D Secure provider', z.enum(namesOf('three_ds'))),
    label: needed(
      option(
        'L',
        'what the acquiring profile calls it; unique for the merchant',
        z.string().refine(isLabel, `must have ${label_words}`),
      ),
    ),
    mode: withDefault(option(null, 'whose credentials they are (live)', z.enum(connection_modes)), 'live'),
    credentials: credentialsOption,
  },
  remarks: [
    members_words,
    'The credentials are sealed in the database, and never shown again. ripper connection check tries them.',
  ],
  async run({ options: { merchant, acquirer, 'three-ds': three_ds, label, mode, credentials: path }, json }) {
    if (acquirer && three_ds) throw new UsageError('takes --acquirer or --three-ds, not both')
    const name = acquirer ?? three_ds
    if (!name) throw new UsageError('needs --acquirer or --three-ds')
    const connector = connectorOf({ connector: name })
    const credentials = await judgeFile(connector, { file: readCredentials(path), mode })
    const wish = { kind: connector.kind, connector: name, label, mode, credentials }
    const connection = await withCommandContext((context) => createConnection(context, merchant, wish))
    print(viewBriefly(connection), json)
    warnOfEnvironment(connector, { credentials, mode })
    if (json) return
    printLine(`\nripper connection check ${connection.connection_id} tries the credentials.`)
    if (connection.kind === 'acquirer') printLine("Set up notice_url at the acquirer, signed by the file's key.")
  },
})

export const connectionRotate = command({
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
    const file = readCredentials(options.credentials)
    const { connection, credentials } = await withCommandContext(async (context) => {
      const connection = await connectionOrRefuse(context, id)
      const credentials = await judgeFile(connectorOf(connection), { file, mode: connection.mode })
      return { connection: await rotateCredentials(context, id, credentials), credentials }
    })
    print({ ...viewBriefly(connection), previous_until: connection.previous_until }, json)
    warnOfEnvironment(connectorOf(connection), { credentials, mode: connection.mode })
  },
})

export const connectionDisable = command({
  name: 'connection disable',
  summary: 'Lets no new charge go to a connection, in every process at once',
  positionals: ['CONNECTION_ID'],
  options: {},
  remarks: [
    'What it has charged is still looked up, captured and voided there: keep its credentials valid until that is\n' +
      'over. Live sessions of a merchant whose profile names it are refused.',
  ],
  async run({ positionals, json }) {
    const connection = await withCommandContext((context) => disableConnection(context, positionals[0]!))
    print({ ...viewBriefly(connection), disabled_at: connection.disabled_at }, json)
  },
})

export const connectionList = command({
  name: 'connection list',
  summary: 'Lists the connections of a merchant, or of all, oldest first; no credentials are shown',
  options: { merchant: everyMerchantOption },
  async run({ options: { merchant }, json }) {
    const { merchant_id, connections } = await withCommandContext(async ({ sql }) => {
      const merchant_id = await merchantNamed(sql, merchant)
      return { merchant_id, connections: await listConnections(sql, merchant_id) }
    })
    if (json) printJson({ merchant_id, connections: connections.map(viewConnection) })
    else {
      printList(connections, {
        ...ofMerchants(merchant_id, {
          headings: ['connection', 'label', 'connector', 'mode', 'state', 'created'],
          cells: ({ connection_id, label, connector, mode, state, created_at }: Connection) => [
            ...[connection_id, label, connector, mode, paintState(state), shortTime(created_at)],
          ],
        }),
        nothing: `${hasNo('connection', merchant_id)}. ripper connection create makes one.`,
      })
    }
  },
})

const check_ms = 20_000
const reason_max = 300

export const connectionCheck = command({
  name: 'connection check',
  summary: 'Asks the vendor whether it takes the credentials; moves nothing',
  positionals: ['CONNECTION_ID'],
  options: {},
  remarks: ['The exit status is 1 where it does not, or could not be asked.'],
  async run({ positionals, json }) {
    const { connection, answer } = await withCommandContext(async (context) => {
      const { keyring, vendor_http, clock } = context
      const connection = await connectionOrRefuse(context, positionals[0]!)
      const parts = { keyring, clock, connectors, wire: openWire(vendor_http) }
      return { connection, answer: await checkConnection(parts, connection, check_ms) }
    })
    const { connection_id, connector, label } = connection
    const works = answer.result === 'works'
    if (json) {
      const result = works ? { works, reason: null, notes: answer.notes } : { works, reason: answer.reason, notes: [] }
      printJson({ ...viewOwn(connection), ...result })
    } else if (works) {
      printLine(`${connector} takes the credentials of ${label} (${connection_id}).`)
      for (const note of answer.notes) printLine(oneLine(note, reason_max))
    } else {
      terminal().stderr.write(`${connector}, ${label} (${connection_id}): ${oneLine(answer.reason, reason_max)}\n`)
    }
    return works ? 0 : 1
  },
})

function viewOwn({ connection_id, merchant_id, kind, connector, label, mode, state }: Connection) {
  return { connection_id, merchant_id, kind, connector, label, mode, state }
}

function viewBriefly(connection: Connection) {
  return { ...viewOwn(connection), notice_url: noticeUrl(baseUrlOf({}), connection) }
}

function viewConnection(connection: Connection) {
  const { created_at, rotated_at, disabled_at, ...rest } = connection
  return { ...rest, notice_url: noticeUrl(baseUrlOf({}), connection), created_at, rotated_at, disabled_at }
}

function connectorOf({ connector }: { connector: string }): KnownConnector {
  const knownConnector = connectors.find(({ name }) => name === connector)
  if (knownConnector) return knownConnector
  throw new CommandError(`This release does not know ${connector}.`)
}

/** The JSON in a file. Throws a UsageError. */
function readCredentials(path: string): unknown {
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

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw new UsageError(`--credentials cannot be read: ${(error as Error).message}`)
  }
}

/** The credentials as they are kept. Throws a Refusal that names the member. */
function judgeFile(connector: KnownConnector, input: { file: unknown; mode: ConnectionMode }): Promise<Credentials> {
  return judgeCredentials(connector, input, apiUrlJudge(readConfig(terminal().environment), realClock()))
}

/** Warns of a key of the other environment that `api_url` leads to another address. The command goes on. */
function warnOfEnvironment(
  connector: KnownConnector,
  { credentials, mode }: { credentials: Credentials; mode: ConnectionMode },
): void {
  const doubt = environmentDoubt(connector, credentials, mode)
  if (doubt !== null) terminal().stderr.write(`Warning: ${doubt}. It is taken because of api_url.\n`)
}
