// The package @ripper/node: a client of Ripper Checkout for a merchant's server, and what verifies its webhooks.

export type * from './api-types.ts'
export {
  AbortError,
  ApiError,
  ConnectionError,
  RipperError,
  SignatureError,
  type SignatureFault,
  TimeoutError,
  UsageError,
} from './errors.ts'
export type { Page, Pages } from './pages.ts'
export type { RawBody } from './raw-body.ts'
export {
  type CheckoutSessions,
  type PaymentLinks,
  type Payments,
  type Refunds,
  Ripper,
  type WebhookDeliveries,
  type WebhookEndpoints,
} from './ripper.ts'
export { type AnswerMeta, answerMeta, type CallOptions, type WriteOptions } from './send.ts'
export type { RipperOptions } from './settings.ts'
export type { WebhookHeaders } from './signature-header.ts'
export type { SigningSecrets } from './signing-secret.ts'
export { generateTestHeader, type VerifyOptions, verifyWebhook } from './verify-webhook.ts'
