// What can go wrong with an answer of the fake Checkout.com, set by hand for the next one.

/** `before`: nothing is in the books. `after`: all is. Nothing but a 2xx is kept under the idempotency key. */
export const faults = {
  lose_answer_before: { books: false, kept: false },
  lose_answer_after: { books: true, kept: true },
  /** The books have it, the key does not: a repeat moves money again. */
  error_after: { books: true, kept: false, status: 500, body: '' },
  error_before: { books: false, kept: false, status: 503, body: '' },
  unauthorised: { books: false, kept: false, status: 401, body: '' },
  forbidden: { books: false, kept: false, status: 403, body: '' },
  blocked: { books: false, kept: false, status: 403, body: '<html>Access denied</html>' },
  conflict: { books: true, kept: false, status: 409, body: '{"error_type":"conflict"}' },
  too_many: { books: false, kept: false, status: 429, body: '{"error_type":"rate_limit"}' },
  unprocessable: {
    books: false,
    kept: false,
    status: 422,
    body: '{"request_id":"r","error_type":"request_invalid","error_codes":["processing_channel_id_invalid"]}',
  },
  proxy_says_422: { books: true, kept: false, status: 422, body: '<html>no</html>' },
  html: { books: true, kept: true, status: 200, body: '<html>All is well</html>' },
  html_404: { books: true, kept: false, status: 404, body: '<html>not here</html>' },
  empty: { books: true, kept: true, status: 201, body: '' },
  truncated: { books: true, kept: true, cut: true },
  wrong_amount: { books: true, kept: true, change: { amount: 1 } },
  wrong_currency: { books: true, kept: true, change: { currency: 'EUR' } },
  strange_currency: { books: true, kept: true, change: { currency: 'XXX' } },
  strange_status: { books: true, kept: true, change: { status: 'Perhaps' } },
  contradiction: { books: true, kept: true, change: { status: 'Declined', approved: true } },
  wrong_reference: { books: true, kept: true, change: { reference: 'somebody-elses' } },
  /** 24 s by the test's clock. */
  slow: { books: true, kept: true, delay_ms: 24_000 },
  /** A list that does not show yet what was written. */
  lagging: { books: true, kept: false, status: 200, body: '{"data":[],"total_count":0}' },
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
