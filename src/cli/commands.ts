// The table of all commands. `ripper help`, the command line and the completion scripts use it.

import { auditShow } from './audit-show.ts'
import { auditVerify } from './audit-verify.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { connectionCheck, connectionCreate, connectionDisable, connectionList, connectionRotate } from './connection.ts'
import { countsRebuild } from './counts.ts'
import { deliveryList } from './delivery.ts'
import { deliveryReplay } from './delivery-replay.ts'
import { deliveryShow } from './delivery-show.ts'
import { disputeList, disputeShow, disputeSimulate } from './dispute.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { endpointCreate, endpointDelete, endpointList, endpointRotateSecret, endpointTest } from './endpoint.ts'
import { endpointHealth } from './endpoint-health.ts'
import { helpCommand } from './help.ts'
import { holdCapture, holdEscalate, holdList, holdSettle, holdShow, holdVoid } from './hold.ts'
import { integrationCreate, integrationDelete, integrationList, integrationUpdate } from './integration.ts'
import { keyCreate, keyList, keyRevoke } from './key.ts'
import { linkDisable, linkList, linkNew, linkShow } from './link.ts'
import { listenCommand } from './listen.ts'
import { logsTail } from './logs-tail.ts'
import { merchantCreate, merchantList, merchantUpdate } from './merchant.ts'
import { migrateCommand } from './migrate.ts'
import { orphanBrake, orphanLeave, orphanList, orphanRelease, orphanReverse } from './orphan.ts'
import { pageCheck } from './page.ts'
import { paymentNote } from './payment-note.ts'
import { payoutExport, payoutImport, payoutList, payoutShow } from './payout.ts'
import { receiptSend, receiptShow } from './receipt.ts'
import { reconcileList, reconcileShow } from './reconcile.ts'
import { reconcileClose, reconcileCompare, reconcileFindings } from './reconcile-compare.ts'
import { reconcileResolve } from './reconcile-resolve.ts'
import { refundCreate, refundList } from './refund.ts'
import { serveCommand, workerCommand } from './serve.ts'
import type { Command, Section } from './terminal/command.ts'
import { testCardsCommand } from './test-cards.ts'
import { triggerCommand } from './trigger/trigger.ts'
import { userDisable, userLink, userList, userOperator, userRole, userSignOut, userUnlock } from './user.ts'

export const sections: Section[] = [
  {
    title: 'Running it',
    commands: [
      ...[serveCommand, workerCommand, migrateCommand, backupCommand, restoreCommand],
      ...[configCommand, doctorCommand],
    ],
  },
  {
    title: 'Accounts',
    commands: [
      ...[merchantCreate, merchantUpdate, merchantList],
      ...[integrationCreate, integrationUpdate, integrationDelete, integrationList],
      ...[keyCreate, keyRevoke, keyList],
    ],
  },
  {
    title: 'People at the dashboard',
    commands: [userLink, userList, userDisable, userUnlock, userSignOut, userOperator, userRole],
  },
  {
    title: 'Connections to acquirers and 3-D Secure providers',
    commands: [...[connectionCreate, connectionList, connectionCheck, connectionRotate, connectionDisable]],
  },
  {
    title: 'Webhooks',
    commands: [
      ...[endpointCreate, endpointList, endpointDelete, endpointRotateSecret],
      ...[endpointTest, endpointHealth],
      ...[deliveryList, deliveryShow, deliveryReplay],
    ],
  },
  { title: 'Trying it out', commands: [listenCommand, triggerCommand, testCardsCommand, logsTail, pageCheck] },
  { title: 'Payment links', commands: [linkNew, linkList, linkShow, linkDisable] },
  { title: 'Held payments', commands: [holdList, holdShow, holdCapture, holdVoid, holdEscalate, holdSettle] },
  { title: 'Refunds', commands: [refundCreate, refundList] },
  { title: 'Disputes', commands: [disputeList, disputeShow, disputeSimulate] },
  { title: 'Payouts', commands: [payoutImport, payoutList, payoutShow, payoutExport] },
  { title: 'Receipts and notes', commands: [receiptShow, receiptSend, paymentNote] },
  {
    title: 'Lost answers, and differences from an acquirer',
    commands: [
      ...[reconcileList, reconcileShow, reconcileResolve],
      ...[reconcileCompare, reconcileFindings, reconcileClose],
      ...[orphanList, orphanReverse, orphanLeave, orphanBrake, orphanRelease],
    ],
  },
  { title: 'The journal', commands: [auditShow, auditVerify, countsRebuild] },
  { title: 'This program', commands: [helpCommand(() => sections), completionCommand(() => commands)] },
]

/** Every command, in the order of `ripper help`. */
export const commands: Command[] = sections.flatMap((section) => section.commands)
