// What can go wrong with an answer of the fake Stripe, set by hand for the next one.

const error = (type: string, code?: string) => JSON.stringify({ error: { type, code } })

/** `books`: whether they have it. `kept`: whether the answer stays under the idempotency key. */
export const faults = {
  /** None, for the first of two requests. */
  none: { books: true, kept: true, change: {} },
  lose_answer_before: { books: false, kept: false },
  lose_answer_after: { books: true, kept: true },
  /** Kept: whoever sends it again hears the same. */
  error_after: { books: true, kept: true, status: 500, body: error('api_error') },
  /** Nothing has happened, and a day long the key says the same. */
  error_before_kept: { books: false, kept: true, status: 500, body: error('api_error') },
  error_before: { books: false, kept: false, status: 500, body: error('api_error') },
  unauthorised: { books: false, kept: false, status: 401, body: error('invalid_request_error') },
  forbidden: { books: false, kept: false, status: 403, body: error('invalid_request_error') },
  blocked: { books: false, kept: false, status: 403, body: '<html>Access denied</html>' },
  conflict: {
    books: false,
    kept: false,
    status: 409,
    body: error('invalid_request_error', 'lock_timeout'),
  },
  too_many: {
    books: false,
    kept: false,
    status: 429,
    body: error('invalid_request_error', 'rate_limit'),
  },
  invalid: {
    books: false,
    kept: false,
    status: 400,
    body: error('invalid_request_error', 'parameter_unknown'),
  },
  proxy_says_400: { books: true, kept: true, status: 400, body: '<html>no</html>' },
  html: { books: true, kept: true, status: 200, body: '<html>All is well</html>' },
  html_404: { books: true, kept: true, status: 404, body: '<html>not here</html>' },
  empty: { books: true, kept: true, status: 200, body: '' },
  truncated: { books: true, kept: true, cut: true },
  wrong_amount: { books: true, kept: true, change: { amount: 1, amount_capturable: 1, amount_received: 1 } },
  one_wrong_amount: { books: true, kept: true, change: { amount: 1 } },
  wrong_currency: { books: true, kept: true, change: { currency: 'eur' } },
  strange_currency: { books: true, kept: true, change: { currency: 'xxx' } },
  strange_status: { books: true, kept: true, change: { status: 'perhaps' } },
  wrong_id: { books: true, kept: true, change: { id: 'pi_somebodyelses' } },
  /** 24 s by the test's clock. */
  slow: { books: true, kept: true, delay_ms: 24_000 },
} satisfies Record<string, FaultRule>

export type Fault = keyof typeof faults

export type FaultRule = {
  books: boolean
  kept: boolean
  status?: number
  body?: string
  cut?: boolean
  change?: object
  delay_ms?: number
}
