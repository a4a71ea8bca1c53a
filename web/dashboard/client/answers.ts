// The answers of the routes, by the names of what they hold.

import type { ReplyOf, Routes } from './routes.ts'

export type Me = ReplyOf<'GET /me'>
export type Membership = Me['memberships'][number]
export type Role = Membership['role']
export type Mode = keyof Membership['permissions']
export type Permission = Membership['permissions'][Mode][number]
export type Account = ReplyOf<'GET /me/account'>
export type Ways = ReplyOf<'GET /sign-in/ways'>
export type LinkRead = ReplyOf<'POST /links/read'>
export type Team = ReplyOf<'GET /{merchant_id}/team'>
export type ResetLink = ReplyOf<'POST /{merchant_id}/team/{user_id}/reset-link'> & { email: string }

export type PaymentRow = ReplyOf<'GET /{merchant_id}/payments'>['data'][number]
export type Payment = ReplyOf<'GET /{merchant_id}/payments/{payment_id}'>
export type ListedRefund = ReplyOf<'GET /{merchant_id}/refunds'>['data'][number]
export type Dispute = ReplyOf<'GET /{merchant_id}/disputes'>['data'][number]
export type PayoutRow = ReplyOf<'GET /{merchant_id}/payouts'>['data'][number]
export type Payout = ReplyOf<'GET /{merchant_id}/payouts/{payout_id}'>
export type PayoutFinding = Payout['lines_with_findings'][number]
export type TestPaymentBody = Routes['POST /{merchant_id}/test-payments']['body']
export type Receipt = NonNullable<ReplyOf<'GET /{merchant_id}/payments/{payment_id}/receipt'>['receipt']>
export type Customer = ReplyOf<'GET /{merchant_id}/payments/{payment_id}/customer'>
export type PaymentLink = ReplyOf<'GET /{merchant_id}/payment_links'>['data'][number]
export type SavedFilter = ReplyOf<'GET /{merchant_id}/saved-filters'>['saved'][number]
export type Item = NonNullable<Payment['items']>[number]
export type Timeline = ReplyOf<'GET /{merchant_id}/payments/{payment_id}/timeline'>
export type TimelineLine = Timeline['lines'][number]
export type TimelineEvent = Timeline['events'][number]
export type Session = ReplyOf<'GET /{merchant_id}/sessions/{session_id}'>
export type SessionRow = ReplyOf<'GET /{merchant_id}/sessions'>['data'][number]
export type ListedHold = ReplyOf<'GET /{merchant_id}/holds'>['data'][number]

export type Endpoint = ReplyOf<'GET /{merchant_id}/webhooks/endpoints'>['endpoints'][number]
export type ReplayedBatch = ReplyOf<'POST /{merchant_id}/webhooks/endpoints/{endpoint_id}/replay'>
export type Delivery = ReplyOf<'GET /{merchant_id}/webhooks/deliveries'>['data'][number]
export type Key = ReplyOf<'GET /{merchant_id}/keys'>['keys'][number]
export type NewKey = Routes['POST /{merchant_id}/keys']['body']
export type Integration = ReplyOf<'GET /{merchant_id}/integrations'>['integrations'][number]
export type IntegrationChanges = Routes['POST /{merchant_id}/integrations/{integration_id}']['body']
type Connections = ReplyOf<'GET /{merchant_id}/connections'>
export type Connection = Connections['connections'][number]
export type Connector = Connections['connectors'][number]
export type StoredConnection = ReplyOf<'POST /{merchant_id}/connections'>
export type LoggedRequest = ReplyOf<'GET /{merchant_id}/requests/recent'>['data'][number]
export type RefusedRequest = ReplyOf<'GET /{merchant_id}/requests'>['data'][number]
export type UnansweredOperation = ReplyOf<'GET /{merchant_id}/operations'>['operations'][number]
export type AuditLine = ReplyOf<'GET /{merchant_id}/audit'>['data'][number]
export type Overview = ReplyOf<'GET /{merchant_id}/overview'>
export type DayCount = Overview['days'][number]
export type ListedMerchant = ReplyOf<'GET /system/merchants'>['merchants'][number]
export type Endings = Overview['span_before']
export type System = ReplyOf<'GET /system'>
export type Orphans = ReplyOf<'GET /system/orphans'>
