// What can go wrong with an answer of the fake 3dsecure.io, set by hand for the next one of a step.

/** `before`: nothing is in the books. `after`: all is. */
export const faults = {
  lose_answer_before: { books: false },
  lose_answer_after: { books: true },
  unauthorised: { books: false, status: 401, body: 'Invalid API Key', type: 'text/plain' },
  forbidden: { books: false, status: 403, body: 'Forbidden', type: 'text/plain' },
  too_many: { books: false, status: 429, body: 'Too many requests', type: 'text/plain' },
  error_before: { books: false, status: 500, body: '<html>500</html>', type: 'text/html' },
  error_after: { books: true, status: 502, body: '<html>502</html>', type: 'text/html' },
  error_with_message: { books: true, status: 500 },
  html: { books: true, status: 200, body: '<html>All is well</html>', type: 'text/html' },
  empty: { books: true, status: 200, body: '' },
  truncated: { books: true, cut: true },
  another_message: { books: true, change: { messageType: 'PRes' } },
  another_transaction: {
    books: true,
    change: { threeDSServerTransID: '00000000-0000-4000-8000-000000000000' },
  },
  another_bank: { books: true, change: { dsTransID: '00000000-0000-4000-8000-000000000000' } },
  another_version: { books: true, change: { messageVersion: '2.1.0' } },
  strange_status: { books: true, change: { transStatus: 'X' } },
  no_version: { books: true, change: { acsStartProtocolVersion: null } },
  erro: {
    books: false,
    status: 400,
    body: '{"messageType":"Erro","messageVersion":"2.2.0","errorCode":"404","errorComponent":"S","errorDescription":"d","errorDetail":"d"}',
  },
} satisfies Record<string, FaultRule>

export type Fault = keyof typeof faults

export type FaultRule = {
  books: boolean
  status?: number
  body?: string
  type?: string
  cut?: boolean
  change?: object
}
