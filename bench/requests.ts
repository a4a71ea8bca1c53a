// The requests of the benchmarks, as bytes.

export type Head = { method: string; path: string; headers?: Record<string, string>; body?: object }

export function requestBytes({ method, path, headers = {}, body }: Head): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}

export const purchase = {
  amount: 4200,
  currency: 'GBP',
  customer: { email: 'jo@example.com' },
  metadata: { basket: '7f3a' },
}

/** A create whose idempotency key is written into the same bytes anew each time: one maker for each client. */
export function createMaker(secret_key: string): (key: string) => Buffer {
  const slot = '0'.repeat(key_length)
  const bytes = createRequest(secret_key, slot)
  const at = bytes.indexOf(slot)
  return (key) => {
    bytes.write(key, at, key_length, 'latin1')
    return bytes
  }
}

const key_length = 24

/** A key that no other benchmark of this process has. */
export function nextKey(): string {
  keys += 1
  return String(keys).padStart(key_length, 'k')
}
let keys = 0

export function createRequest(secret_key: string, key: string): Buffer {
  return requestBytes({
    method: 'POST',
    path: '/v1/checkout/sessions',
    headers: { 'x-service-api-key': secret_key, 'rip-idempotency-key': key },
    body: purchase,
  })
}

export function readRequest(secret_key: string, path: string): Buffer {
  return requestBytes({ method: 'GET', path, headers: { 'x-service-api-key': secret_key } })
}

export const browser = {
  language: 'en-GB',
  color_depth: 24,
  screen_height: 1080,
  screen_width: 1920,
  time_zone_offset: 0,
  javascript_enabled: true,
}

/** A Visa that is authenticated without a challenge and approved. */
export const card = { number: '4000009100020000', exp_month: 12, exp_year: 2039, cvc: '123' }
