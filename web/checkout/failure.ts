// The error of every rejection and every `loaderror`.

import type { RipperFailure } from './api.ts'
import { origin } from './origin.ts'
import type { RefusalBody } from './wire.ts'

export class RipperError extends Error implements RipperFailure {
  declare readonly name: string
  declare readonly code: string
  declare readonly request_id: string | null
  declare readonly docs_url: string
  /** Only with `authentication_incomplete`: the state of the authentication. */
  declare readonly three_ds: RefusalBody['three_ds']
  /** Only with `rate_limit_exceeded`, if the service gave it. */
  declare readonly retry_after_seconds: number

  constructor(code: string, message: string, refused: RefusalBody = {}, retry_after_seconds = 0) {
    super(message)
    this.name = 'RipperError'
    this.code = code
    this.request_id = refused.request_id ?? null
    this.docs_url = `${origin}/docs#${code}`
    this.three_ds = refused.three_ds
    this.retry_after_seconds = retry_after_seconds
  }
}
