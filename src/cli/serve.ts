// `ripper serve` and `ripper worker`: the processes that keep running.

import { resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import { release } from '../kernel/version.ts'
import { type RunningService, serve, work } from '../main.ts'
import { demoPath } from '../service/demo.ts'
import { examine } from './doctor/doctor.ts'
import { logForPeople } from './terminal/log-lines.ts'
import { command, flag } from './terminal/option.ts'
import { printJson, printLine } from './terminal/print.ts'
import { terminal, untilStopped } from './terminal/terminal.ts'

export const serveCommand = command({
  name: 'serve',
  summary: 'Starts the service: API, pages and worker',
  options: { demo: flag('make the demo merchant on the database of RIPPER_DATABASE_URL too') },
  async run({ options, json }) {
    const stopped = untilStopped()
    warnOfRoot()
    const { environment, stdout } = terminal()
    const config = readConfig(environment)
    const has_terminal = !json && stdout.isTTY === true
    const running = await serve(config, {
      demo: options.demo,
      terminal: has_terminal,
      examine: () => examine({}, true),
      ...(has_terminal && { logLines: logForPeople(stdout) }),
    })
    const { base_url, metrics_url, demo } = running
    if (json) printJson({ base_url, ...(metrics_url && { metrics_url }), ...demo })
    else stdout.write(welcome(running, has_terminal ? null : demoPath(config.data_dir)))
    await stopped.signal
    if (!json && stdout.isTTY) printLine(farewell(config.drain_seconds))
    return leave(await running.stop())
  },
})

export const workerCommand = command({
  name: 'worker',
  summary: 'Delivers webhooks and runs the background jobs, beside the service',
  options: {},
  async run({ json }) {
    const stopped = untilStopped()
    warnOfRoot()
    const running = await work(readConfig(terminal().environment))
    if (json) printJson({ database: running.database })
    else terminal().stdout.write(`Ripper Checkout ${release()}, worker, runs on ${running.database}.\n`)
    await stopped.signal
    return leave(await running.stop())
  },
})

/** Written beside the log, whatever its level, so that the user who starts the service sees it. */
function warnOfRoot(): void {
  if (process.getuid?.() === 0) terminal().stderr.write(`${root_warning}\n`)
}

const root_warning =
  'WARNING: Ripper Checkout runs as root, so an attacker who breaks into it owns this machine. Run it as a user of its own; ' +
  '"A user of its own" in docs/operations.md says how.'

/** Ends the process even if something is still open: a silent database never closes its connection. */
function leave(has_ended: boolean): never {
  process.exit(has_ended ? 0 : 1)
}

function farewell(drain_seconds: number): string {
  const first = drain_seconds > 0 ? `it takes requests for ${drain_seconds} s more, then ` : ''
  return `\nStopping: ${first}it finishes what is under way. Another Ctrl-C ends it at once.`
}

/**
 * What a newcomer reads. If it is not a terminal that shows it, a log may keep it: then the secret key stands in `demo_file`
 * alone, and the command to paste reads it there.
 */
export function welcome(running: RunningService, demo_file: string | null): string {
  const { base_url, database, demo, dashboard_url, metrics_url } = running
  const { welcome_url, welcome_command } = running
  const metrics = metrics_url ? `\n  Metrics    ${metrics_url}` : ''
  const become = welcome_url
    ? `\n  Become its owner  ${welcome_url}\n                    works once, for 24 hours\n`
    : welcome_command
      ? `\n  Nobody has an account yet: ${welcome_command}\n`
      : ''
  const address = `
Ripper Checkout ${release()} is running.

  API        ${base_url}
  Reference  ${base_url}/docs
  Dashboard  ${dashboard_url}${metrics}
  Database   ${database}
${become}`
  if (!demo) return `${address}\n`
  const file = demo_file === null ? null : resolve(demo_file)
  const key_header =
    file === null
      ? `'X-Service-Api-Key: ${demo.secret_key}'`
      : `"X-Service-Api-Key: $(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).secret_key' ${quoted(file)})"`
  return `${address}
  Demo merchant (test mode, moves no money)
  Hosted page      ${demo.pay_url}/${demo.handle}
  Demo shop        ${demo.demo_page_url}
  Secret key       ${file === null ? demo.secret_key : `in ${file}`}
  Publishable key  ${demo.publishable_key}

Pay on either page with a test card by a click, or create a checkout session yourself:

  curl -s ${base_url}/v1/checkout/sessions \\
    -H ${key_header} \\
    -H 'Rip-Idempotency-Key: first-session' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount": 4200, "currency": "GBP", "customer": {"email": "jo@example.com"}}'

${base_url}/docs/first-payment goes on from there to a captured payment. Ctrl-C stops the service.

`
}

/** As one word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
