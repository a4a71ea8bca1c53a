// What can go wrong with an answer of the fake Sessions, set by hand for the next one of a step.

/** `books`: whether the vendor did what was asked. */
export const faults = {
  lose_answer_before: { books: false },
  lose_answer_after: { books: true },
  unauthorised: { books: false, status: 401, body: '' },
  forbidden: { books: false, status: 403, body: '<html>Access denied</html>' },
  too_many: { books: false, status: 429, body: '{"error_type":"rate_limit"}' },
  unprocessable: {
    books: false,
    status: 422,
    body: '{"request_id":"r","error_type":"request_invalid","error_codes":["processing_channel_id_invalid"]}',
  },
  malformed: { books: false, status: 400, body: '{"request_id":"r","error_type":"invalid_json"}' },
  /** Without what only a read session has for certain. */
  short: {
    books: true,
    status: 202,
    change: { eci: undefined, cryptogram: undefined, response_code: undefined, acs: undefined },
  },
  error_before: { books: false, status: 500, body: '' },
  error_after: { books: true, status: 502, body: '<html>502</html>' },
  error_with_session: { books: true, status: 500 },
  html: { books: true, status: 200, body: '<html>All is well</html>' },
  empty: { books: true, status: 201, body: '' },
  truncated: { books: true, cut: true },
  strange_status: { books: true, change: { status: 'perhaps', response_code: 'Y' } },
  strange_status_of_no: { books: true, change: { status: 'perhaps', response_code: 'N' } },
  contradiction: { books: true, change: { status: 'approved', response_code: 'U' } },
  bad_cryptogram: { books: true, change: { cryptogram: 'x' } },
  forgotten: { books: false, status: 404, body: '' },
  rreq_error: { books: true, change: { status: 'unavailable', response_code: 'U', status_reason: 'rreq_error' } },
  no_response_code: { books: true, change: { status: 'unavailable', response_code: null } },
  another_session: { books: true, change: { id: `sid_${'9'.repeat(26)}` } },
  another_bank: { books: true, change: { ds: { transaction_id: 'another' } } },
} satisfies Record<string, FaultRule>

export type Fault = keyof typeof faults

export type FaultRule = {
  books: boolean
  status?: number
  body?: string
  cut?: boolean
  change?: object
}
