// Every route of the dashboard, which only its own page may call: its type is what the page's client is typed by.

import {
  addOwnPasskey,
  askForOneTimeCodes,
  askForOwnPasskey,
  confirmOwnCodes,
  endMyOtherSessions,
  endMySession,
  makeRecoveryCodes,
  readAccount,
  removeOwnCodes,
  removeOwnPasskey,
  setOwnPassword,
} from './account/account-routes.ts'
import { readMe } from './account/me.ts'
import { exportAuditHere, listAuditHere } from './audit/audit-routes.ts'
import {
  checkConnectionHere,
  createConnectionHere,
  disableConnectionHere,
  listConnectionsHere,
  rotateCredentialsHere,
} from './connections/connection-routes.ts'
import { listDisputesHere } from './disputes/dispute-list.ts'
import { exportMovementsHere, exportPaymentsHere } from './export/export-routes.ts'
import { listHoldsHere } from './holds/hold-list.ts'
import {
  changeIntegrationHere,
  createIntegrationHere,
  deleteIntegrationHere,
  listIntegrationsHere,
} from './integrations/integration-routes.ts'
import { createKeyHere, listKeysHere, revokeKeyHere } from './keys/key-routes.ts'
import {
  createLinkHere,
  disableLinkHere,
  listLinkPaymentsHere,
  listLinksHere,
  readLinkHere,
} from './links/link-routes.ts'
import { listOperationsHere, resolveOperationHere } from './operations/operation-routes.ts'
import { readOverviewHere } from './overview/overview-routes.ts'
import { listBeginningsHere } from './payments/beginnings.ts'
import { listCustomerPaymentsHere } from './payments/customer-routes.ts'
import { notePaymentHere } from './payments/note-routes.ts'
import {
  captureHere,
  escalateHere,
  listPaymentsHere,
  readPaymentHere,
  readSessionTimelineHere,
  readTimelineHere,
  refundHere,
  voidHere,
} from './payments/payment-routes.ts'
import { readReceiptHere, sendReceiptHere } from './payments/receipt-routes.ts'
import { listAllRefundsHere, listRefundsHere } from './payments/refund-list.ts'
import { reopenRefundHere, settleRefundHere } from './payments/settle-otherwise.ts'
import {
  exportPayoutsHere,
  importPayoutsHere,
  listPayoutsHere,
  readPayoutHere,
  sendPieceHere,
} from './payouts/payout-routes.ts'
import { listEventsHere } from './records/record-routes.ts'
import { listRecentRequestsHere, listRequestsHere } from './requests/request-routes.ts'
import { listSavedFiltersHere, saveFilterHere } from './saved-filters/saved-filter-routes.ts'
import { listSessionsHere, readSessionHere } from './sessions/session-routes.ts'
import { askForPasskeyByLink, readLink, redeemLink } from './sign-in/link-routes.ts'
import { askForProof, prove } from './sign-in/proof-routes.ts'
import {
  askForSignIn,
  readWays,
  showOneTimeCode,
  showPasswordToo,
  showRecoveryCode,
  signInByAPasskey,
  signInByAPassword,
  signOut,
} from './sign-in/sign-in-routes.ts'
import { listMerchantsHere, makeMerchantHere } from './system/merchant-routes.ts'
import {
  closeFindingsHere,
  leaveOrphansHere,
  listOrphansHere,
  pullBrakeHere,
  releaseBrakeHere,
  reverseOrphansHere,
} from './system/orphan-routes.ts'
import { readSystemHere } from './system/system-routes.ts'
import { listRefundLimitsHere, setRefundLimitHere } from './team/refund-limit-routes.ts'
import {
  changeMemberRole,
  inviteMember,
  makeMemberResetLink,
  readTeam,
  removeTeamMember,
  reviewTeam,
  withdrawInvitation,
} from './team/team-routes.ts'
import { beginTestPayment, payTestPayment } from './test-payments/test-payment-routes.ts'
import { listDeliveriesHere, readDeliveryHere, sendDeliveryHere } from './webhooks/delivery-routes.ts'
import { replayGivenUpHere, rotateSecretHere, testEndpointHere } from './webhooks/endpoint-acts.ts'
import {
  createEndpointHere,
  deleteEndpointHere,
  listEndpointsHere,
  replayDeliveryHere,
} from './webhooks/webhook-routes.ts'

export const dashboardRoutes = [
  readMe,
  readLink,
  askForPasskeyByLink,
  redeemLink,
  readWays,
  askForSignIn,
  signInByAPasskey,
  signInByAPassword,
  showOneTimeCode,
  showPasswordToo,
  showRecoveryCode,
  signOut,
  askForProof,
  prove,
  readAccount,
  askForOwnPasskey,
  addOwnPasskey,
  removeOwnPasskey,
  setOwnPassword,
  askForOneTimeCodes,
  confirmOwnCodes,
  removeOwnCodes,
  makeRecoveryCodes,
  endMySession,
  endMyOtherSessions,
  readTeam,
  inviteMember,
  withdrawInvitation,
  changeMemberRole,
  removeTeamMember,
  reviewTeam,
  makeMemberResetLink,
  listRefundLimitsHere,
  setRefundLimitHere,
  listPaymentsHere,
  listBeginningsHere,
  readPaymentHere,
  readTimelineHere,
  captureHere,
  voidHere,
  escalateHere,
  refundHere,
  notePaymentHere,
  readReceiptHere,
  sendReceiptHere,
  listCustomerPaymentsHere,
  listRefundsHere,
  listAllRefundsHere,
  listDisputesHere,
  listPayoutsHere,
  readPayoutHere,
  sendPieceHere,
  importPayoutsHere,
  exportPayoutsHere,
  settleRefundHere,
  reopenRefundHere,
  beginTestPayment,
  payTestPayment,
  listSessionsHere,
  readSessionHere,
  readSessionTimelineHere,
  listLinksHere,
  createLinkHere,
  readLinkHere,
  disableLinkHere,
  listLinkPaymentsHere,
  listEventsHere,
  listSavedFiltersHere,
  saveFilterHere,
  listHoldsHere,
  listEndpointsHere,
  createEndpointHere,
  deleteEndpointHere,
  rotateSecretHere,
  testEndpointHere,
  replayGivenUpHere,
  listDeliveriesHere,
  readDeliveryHere,
  replayDeliveryHere,
  sendDeliveryHere,
  listKeysHere,
  createKeyHere,
  revokeKeyHere,
  listIntegrationsHere,
  createIntegrationHere,
  changeIntegrationHere,
  deleteIntegrationHere,
  listConnectionsHere,
  createConnectionHere,
  rotateCredentialsHere,
  checkConnectionHere,
  disableConnectionHere,
  listRequestsHere,
  listRecentRequestsHere,
  listOperationsHere,
  resolveOperationHere,
  listAuditHere,
  exportAuditHere,
  exportPaymentsHere,
  exportMovementsHere,
  readOverviewHere,
  listMerchantsHere,
  makeMerchantHere,
  readSystemHere,
  listOrphansHere,
  reverseOrphansHere,
  leaveOrphansHere,
  pullBrakeHere,
  releaseBrakeHere,
  closeFindingsHere,
]

/** The records as types alone: see `Told` in `http/route.ts`. */
export type DashboardRoutes = (typeof dashboardRoutes)[number]
