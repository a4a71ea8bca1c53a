// `ripper serve` and `ripper worker`: the processes that keep running.

import { readConfig } from '../config/config.ts'
import { type RunningService, serve, work } from '../main.ts'
import { examine } from './doctor/examine.ts'
import type { Command } from './terminal/command.ts'
import { printJson, printLine } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'
import { untilStopped } from './terminal/until-stopped.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Starts the service: API, pages and worker',
  options: {
    demo: { meaning: 'make the demo merchant on the database of RIPPER_DATABASE_URL too' },
  },
  async run({ options, json }) {
    const stopped = untilStopped()
    warnOfRoot()
    const { environment, stdout } = terminal()
    const config = readConfig(environment)
    const running = await serve(config, {
      demo: options.demo === true,
      terminal: !json && stdout.isTTY === true,
      examine: () => examine({}),
    })
    const { base_url, metrics_url, demo } = running
    if (json) printJson({ base_url, ...(metrics_url && { metrics_url }), ...demo })
    else stdout.write(welcome(running))
    await stopped.signal
    if (!json && stdout.isTTY) printLine(farewell(config.drain_seconds))
    return leave(await running.stop())
  },
}

export const workerCommand: Command = {
  name: 'worker',
  summary: 'Delivers webhooks and runs the background jobs, beside the service',
  options: {},
  async run({ json }) {
    const stopped = untilStopped()
    warnOfRoot()
    const running = await work(readConfig(terminal().environment))
    if (json) printJson({ database: running.database })
    else terminal().stdout.write(`Ripper Checkout worker runs on ${running.database}.\n`)
    await stopped.signal
    return leave(await running.stop())
  },
}

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

function welcome(running: RunningService): string {
  const { base_url, database, demo, dashboard_url, metrics_url, welcome_url } = running
  const metrics = metrics_url ? `\n  Metrics    ${metrics_url}` : ''
  const become = welcome_url
    ? `\n  Become its owner  ${welcome_url}\n                    works once, for 24 hours\n`
    : ''
  const address = `
Ripper Checkout is running.

  API        ${base_url}
  Reference  ${base_url}/docs
  Dashboard  ${dashboard_url}${metrics}
  Database   ${database}
${become}`
  if (!demo) return `${address}\n`
  return `${address}
  Demo merchant (test mode, moves no money)
  Hosted page      ${demo.pay_url}/${demo.handle}
  Demo shop        ${demo.demo_page_url}
  Secret key       ${demo.secret_key}
  Publishable key  ${demo.publishable_key}

Pay on either page with a test card by a click, or create a checkout session yourself:

  curl -s ${base_url}/v1/checkout/sessions \\
    -H 'X-Service-Api-Key: ${demo.secret_key}' \\
    -H 'Rip-Idempotency-Key: first-session' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount": 4200, "currency": "GBP", "customer": {"email": "jo@example.com"}}'

The README goes on from there to a captured payment. Ctrl-C stops the service.

`
}
