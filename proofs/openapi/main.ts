// `npm run openapi`: redocly reads the API's description, and schemathesis calls a service with thousands of requests that it
// makes of it. Exits 1 where either finds something.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serve } from '../../tests/support/programs.ts'
import { removeData } from '../../tests/support/setup-database.ts'
import { count, oneOf, readAsked, seed, text } from '../asked.ts'

const redocly = '@redocly/cli@2.77.0'
const schemathesis = 'schemathesis==4.32.5'
const description = resolve(import.meta.dirname, '../../docs/openapi.json')

/** Their key is a session's client secret. */
const of_shoppers = '/sessions/.session_id./'

/** What fits the schema may break a rule that no schema has. */
const usual = ['--phases', 'examples,coverage,fuzzing,stateful']
const unjudged = ['positive_data_acceptance']

const asked = readAsked('openapi', {
  only: oneOf(['redocly', 'schemathesis']),
  seed: seed(),
  cases: count(40),
  cache: text('FOLDER', join(homedir(), '.cache', 'ripper', schemathesis.replace('==', '-'))),
})

let faults = 0
if (asked.only !== 'schemathesis') faults += lint()
if (asked.only !== 'redocly') faults += await tryOut()
process.stdout.write(faults === 0 ? '\nThe description holds.\n' : `\n${faults} runs found something.\n`)
process.exitCode = faults === 0 ? 0 : 1

/** There is no licence to name: whoever runs the service has its source. */
function lint(): number {
  return run('npx', ['--yes', redocly, 'lint', description, '--skip-rule', 'info-license'])
}

type Demo = { base_url: string; secret_key: string; publishable_key: string; handle: string }

async function tryOut(): Promise<number> {
  const program = install(asked.cache)
  if (program === null) {
    process.stdout.write(`skipped: ${schemathesis} needs python3, 3.10 or later, with venv\n`)
    return 0
  }
  const place = mkdtempSync(join(tmpdir(), 'ripper-openapi-'))
  // The database of a run as root is another user's.
  chmodSync(place, 0o711)
  const env = { RIPPER_DATA_DIR: '.ripper', RIPPER_PORT: '0', RIPPER_GATEWAY_LIMIT: '0' }
  const service = await serve({ cwd: place, env })
  try {
    const demo: Demo = JSON.parse(readFileSync(join(place, '.ripper/demo.json'), 'utf8'))
    const each = (await passes(demo)).map(({ header, filter, parameters = {}, unfit = [] }) => {
      const config = join(place, 'schemathesis.toml')
      const lines = Object.entries(parameters).map(([name, value]) => `"path.${name}" = "${value}"\n`)
      writeFileSync(config, `[parameters]\n${lines.join('')}`)
      const options = ['--url', demo.base_url, '-H', header, '-n', String(asked.cases), '--seed', asked.seed]
      const checks = ['--exclude-checks', [...unjudged, ...unfit].join(',')]
      const all = [...options, ...usual, ...checks, ...filter, '--continue-on-failure']
      return run(program, ['--config-file', config, 'run', description, ...all])
    })
    return each.reduce((sum, one) => sum + one, 0)
  } finally {
    await service.stop()
    removeData(join(place, '.ripper'))
    rmSync(place, { recursive: true, force: true })
  }
}

type Pass = { header: string; filter: string[]; parameters?: Record<string, string>; unfit?: string[] }

/** Streams have no end. One for each kind of key: with two at once a request would be another one as soon as one is left out. */
async function passes({ base_url, secret_key, publishable_key, handle }: Demo): Promise<Pass[]> {
  const client_secret = await newSession(base_url, secret_key)
  const [session_id] = client_secret.split('_secret_') as [string]
  return [
    {
      header: `X-Service-Api-Key: ${secret_key}`,
      filter: ['--exclude-tag', 'Compatible', '--exclude-path-regex', `${of_shoppers}|/stream$`],
      parameters: { public_key: publishable_key, handle },
    },
    {
      header: `Authorization: Bearer ${secret_key}`,
      filter: ['--include-tag', 'Compatible'],
      // Libraries of that platform cannot read a 405.
      unfit: ['unsupported_method'],
    },
    {
      header: `Rip-Client-Secret: ${client_secret}`,
      filter: ['--include-path-regex', of_shoppers],
      parameters: { session_id },
    },
  ]
}

async function newSession(base_url: string, secret_key: string): Promise<string> {
  const answer = await fetch(`${base_url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-api-key': secret_key,
      'rip-idempotency-key': 'openapi',
    },
    body: JSON.stringify({ amount: 4200, currency: 'GBP' }),
  })
  if (answer.status !== 201) throw new Error(`no session: ${answer.status}`)
  return ((await answer.json()) as { client_secret: string }).client_secret
}

/** Into a folder of its own: nothing else here needs it. Null where Python lacks. */
function install(folder: string): string | null {
  const program = join(folder, 'bin/schemathesis')
  if (existsSync(program)) return program
  const is_new_enough = ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']
  if (spawnSync('python3', is_new_enough).status !== 0) return null
  if (run('python3', ['-m', 'venv', folder]) + run(join(folder, 'bin/pip'), ['install', '-q', schemathesis]) > 0) {
    throw new Error(`${schemathesis} could not be installed into ${folder}.`)
  }
  return program
}

/** 1 where it fails. */
function run(program: string, args: string[]): number {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', cwd: tmpdir() })
  if (error) throw error
  return status === 0 ? 0 : 1
}
