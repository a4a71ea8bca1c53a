// What can go wrong with an answer of the fake Adyen, set by hand for the next request.

const error = { status: 500, errorCode: '905', message: 'Internal error', errorType: 'internal' }
const running = { status: 422, errorCode: '704', message: 'Already processed or in progress' }
const invalid = { status: 422, errorCode: '130', message: 'Reference Missing' }

export type FaultRule = {
  /** Whether the books have it. */
  books: boolean
  /** No answer ever comes. */
  lost?: true
  status?: number
  body?: string
  headers?: Record<string, string>
  /** Whether this very answer is the key's from now on. */
  kept?: true
  cut?: true
  change?: object
}

export const faults = {
  lose_answer_before: { books: false, lost: true },
  lose_answer_after: { books: true, lost: true },
  /** Their words for it: `IOEXCEPTION_RECEIVED`. */
  error_after: { books: true, status: 500, body: JSON.stringify(error), kept: true },
  error_before: { books: false, status: 500, body: JSON.stringify(error), kept: true },
  /** Their words for it: `NO_CONNECTION_AVAILABLE`. It never left them, and the key may be sent again. */
  never_left: { books: false, status: 503, body: JSON.stringify(error), headers: { 'transient-error': 'true' } },
  running: { books: true, status: 422, body: JSON.stringify(running) },
  too_many: { books: false, status: 429, body: '' },
  unauthorised: { books: false, status: 401, body: '' },
  forbidden: { books: false, status: 403, body: '' },
  unprocessable: { books: false, status: 422, body: JSON.stringify(invalid), kept: true },
  proxy_says_422: { books: true, status: 422, body: '<html>no</html>' },
  html: { books: true, status: 200, body: '<html>All is well</html>' },
  empty: { books: true, status: 200, body: '' },
  truncated: { books: true, cut: true },
  wrong_amount: { books: true, change: { amount: { value: 1, currency: 'GBP' } } },
  wrong_currency: { books: true, change: { amount: { value: 4200, currency: 'EUR' } } },
  strange_currency: { books: true, change: { amount: { value: 4200, currency: 'XXX' } } },
  strange_result: { books: true, change: { resultCode: 'Perhaps' } },
  wrong_reference: { books: true, change: { merchantReference: 'somebody-elses' } },
  wants_three_ds: { books: false, status: 200, body: '{"resultCode":"RedirectShopper"}' },
} satisfies Record<string, FaultRule>

export type Fault = keyof typeof faults
