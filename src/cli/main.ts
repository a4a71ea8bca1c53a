// The command line: finds the command, reads its arguments, and gives its failures their exit status.

import { Refusal } from '../errors.ts'
import { auditShow } from './audit-show.ts'
import { auditVerify } from './audit-verify.ts'
import { type Command, readArguments, UsageError, usageOf } from './command.ts'
import { configCommand } from './config.ts'
import { deliveryList } from './delivery.ts'
import { deliveryReplay } from './delivery-replay.ts'
import { deliveryShow } from './delivery-show.ts'
import { doctorCommand } from './doctor.ts'
import { endpointCreate, endpointDelete, endpointList, endpointRotateSecret } from './endpoint.ts'
import { endpointHealth } from './endpoint-health.ts'
import { holdCapture, holdEscalate, holdShow, holdVoid } from './hold.ts'
import { holdList } from './hold-list.ts'
import { holdSettle } from './hold-settle.ts'
import { integrationCreate } from './integration.ts'
import { integrationDelete, integrationUpdate } from './integration-change.ts'
import { integrationList } from './integration-list.ts'
import { keyCreate, keyRevoke } from './key.ts'
import { keyList } from './key-list.ts'
import { listenCommand } from './listen.ts'
import { logsTail } from './logs-tail.ts'
import { merchantCreate, merchantList, merchantUpdate } from './merchant.ts'
import { migrateCommand } from './migrate.ts'
import { orphanList } from './orphan.ts'
import { orphanBrake, orphanRelease } from './orphan-brake.ts'
import { orphanLeave, orphanReverse } from './orphan-decide.ts'
import { pageCheck } from './page.ts'
import { reconcileList } from './reconcile.ts'
import { reconcileClose, reconcileCompare, reconcileFindings } from './reconcile-compare.ts'
import { reconcileResolve } from './reconcile-resolve.ts'
import { reconcileShow } from './reconcile-show.ts'
import { serveCommand, workerCommand } from './serve.ts'
import { ServiceRefused } from './service-call.ts'
import { testCardsCommand } from './test-cards.ts'
import { triggerCommand } from './trigger.ts'
import { version } from './version.ts'

/** Every command, in the order of `ripper --help`. */
export const commands: Command[] = [
  serveCommand,
  workerCommand,
  migrateCommand,
  configCommand,
  doctorCommand,
  merchantCreate,
  merchantUpdate,
  merchantList,
  integrationCreate,
  integrationUpdate,
  integrationDelete,
  integrationList,
  keyCreate,
  keyRevoke,
  keyList,
  endpointCreate,
  endpointList,
  endpointDelete,
  endpointRotateSecret,
  endpointHealth,
  listenCommand,
  deliveryList,
  deliveryShow,
  deliveryReplay,
  holdList,
  holdShow,
  holdCapture,
  holdVoid,
  holdEscalate,
  holdSettle,
  reconcileList,
  reconcileShow,
  reconcileResolve,
  reconcileCompare,
  reconcileFindings,
  reconcileClose,
  orphanList,
  orphanReverse,
  orphanLeave,
  orphanBrake,
  orphanRelease,
  auditShow,
  auditVerify,
  logsTail,
  triggerCommand,
  testCardsCommand,
  pageCheck,
]

/** Exit status: 0 done, 1 refused or failed, 2 a wrong call. */
export async function main(args: string[]): Promise<number> {
  // A reader such as `head` that has had enough is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  if (args[0] === '--version') {
    process.stdout.write(`${version()}\n`)
    return 0
  }
  const wantsHelp = args.includes('--help') || args.includes('-h')
  const command = commands.find(({ name }) => isPrefix(name.split(' '), args))
  if (!command) return overview(args, wantsHelp)
  if (wantsHelp) {
    process.stdout.write(usageOf(command))
    return 0
  }
  try {
    const call = readArguments(command, args.slice(command.name.split(' ').length))
    return (await command.run(call)) ?? 0
  } catch (error) {
    return tell(command, error, args.includes('--json'))
  }
}

function tell(command: Command, error: unknown, json: boolean): number {
  const usage = error instanceof UsageError
  const { message } = error as Error
  if (json) {
    const request = error instanceof ServiceRefused && { request_id: error.request_id }
    const document = { error: usage ? 'usage' : codeOf(error), message, ...request }
    process.stdout.write(`${JSON.stringify(document)}\n`)
  }
  process.stderr.write(`ripper ${command.name}: ${message}\n`)
  if (usage) process.stderr.write(`See: ripper ${command.name} --help\n`)
  return usage ? 2 : 1
}

function codeOf(error: unknown): string {
  return error instanceof Refusal || error instanceof ServiceRefused ? error.code : 'failed'
}

function overview(args: string[], wantsHelp: boolean): number {
  const words = args.filter((each) => !each.startsWith('-'))
  const group = commands.filter(({ name }) => name.split(' ')[0] === words[0])
  const shown = group.length > 0 ? group : commands
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(23)} ${summary}`)
  const text = `Usage: ripper <command> [options]\n\n${lines.join('\n')}\n\nripper <command> --help tells of its options.\n`
  if (wantsHelp || args.length === 0) {
    process.stdout.write(text)
    return wantsHelp ? 0 : 2
  }
  const wrong =
    group.length > 0 ? `${args[0]} needs one of these` : `there is no command ${args.join(' ')}`
  process.stderr.write(`ripper: ${wrong}\n\n${text}`)
  return 2
}

function isPrefix(words: string[], args: string[]): boolean {
  return words.every((word, index) => args[index] === word)
}
