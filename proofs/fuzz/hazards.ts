// What can be wrong with a request below HTTP's meaning: its framing, its head, its pace, its version.

/** A request as its parts. Header values are latin1 text, so that every byte can be said. */
export type MadeValue = {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: Buffer
}

export type RuinedValue = {
  pieces: Buffer[]
  pause_ms?: number
  answers?: number
  half_close?: boolean
  /** What may come back: the route's own answer, only one of HTTP itself, or perhaps none at all. */
  expects: 'route' | 'any' | 'http' | 'perhaps_none'
}

/** The bytes of a request. `version` and `framing` as they stand in the head. */
export function bytesOf(
  { method, target, headers, body }: MadeValue,
  { version = 'HTTP/1.1', framing = framingOf(method, body) } = {},
): Buffer {
  const lines = [`${method} ${target} ${version}`, 'Host: 127.0.0.1', ...framing]
  const head = [...lines, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body])
}

function framingOf(method: string, body: Buffer): string[] {
  const says = body.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
  return says ? [`Content-Length: ${body.length}`] : []
}

const length = (made: MadeValue) => `Content-Length: ${made.body.length}`
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const withHeader = (made: MadeValue, name: string, value: string): MadeValue => ({
  ...made,
  headers: [...made.headers, [name, value]],
})
/** One piece with other lines for the body's length. */
const framed = (made: MadeValue, ...framing: string[]) => [bytesOf(made, { framing })]
const http = (pieces: Buffer[]): RuinedValue => ({ pieces, expects: 'http' })
const any = (pieces: Buffer[]): RuinedValue => ({ pieces, expects: 'any' })

function chunked(body: Buffer, size: number, extension = ''): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    chunks.push(latin1(`${chunk.length.toString(16)}${extension}\r\n`), chunk, latin1('\r\n'))
  }
  return Buffer.concat([...chunks, latin1('0\r\n\r\n')])
}

const te = 'Transfer-Encoding: chunked'
const inChunks = (made: MadeValue, size: number, extension?: string): Buffer[] => {
  const body = made.body.length > 4_000 ? made.body.subarray(0, 4_000) : made.body
  return framed({ ...made, body: chunked(body, size, extension) }, te)
}

const inOneChunk = (made: MadeValue): MadeValue => ({
  ...made,
  body: chunked(made.body, made.body.length),
})

function inPieces(bytes: Buffer, count: number): Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / count))
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

export const hazards = {
  latin1_header: (made) => any([bytesOf(withHeader(made, 'X-Name', 'caf\xe9 \xff'))]),
  utf8_header: (made) => any([bytesOf(withHeader(made, 'X-Name', Buffer.from('字').toString('latin1')))]),
  control_in_header: (made) => http([bytesOf(withHeader(made, 'X-Name', 'a\x01b'))]),
  nul_in_header: (made) => http([bytesOf(withHeader(made, 'X-Name', 'a\0b'))]),
  obs_fold: (made) => any([bytesOf(withHeader(made, 'X-Name', 'a\r\n b'))]),
  bare_cr: (made) => http([bytesOf(withHeader(made, 'X-Name', 'a\rb'))]),
  space_before_colon: (made) => http([bytesOf(withHeader(made, 'X-Name ', 'a'))]),
  nameless_header: (made) => http([bytesOf(withHeader(made, '', 'a'))]),
  large_head: (made) => http([bytesOf(withHeader(made, 'X-Name', 'x'.repeat(20_000)))]),
  many_headers: (made) => any([bytesOf({ ...made, headers: [...made.headers, ...Array(1_000).fill(['X-A', '1'])] })]),
  long_target: (made) => http([bytesOf({ ...made, target: `/${'x'.repeat(20_000)}` })]),
  latin1_target: (made) => any([bytesOf({ ...made, target: `${made.target}\xe9` })]),
  space_in_target: (made) => http([bytesOf({ ...made, target: `${made.target} x` })]),
  star_target: (made) => any([bytesOf({ ...made, target: '*' })]),
  length_and_chunked: (made) => http(framed(inOneChunk(made), te, length(made))),
  two_lengths: (made) => http(framed(made, length(made), `Content-Length: ${made.body.length + 1}`)),
  same_length_twice: (made) => http(framed(made, length(made), length(made))),
  negative_length: (made) => http(framed(made, 'Content-Length: -1')),
  signed_length: (made) => http(framed(made, `Content-Length: +${made.body.length}`)),
  worded_length: (made) => http(framed(made, 'Content-Length: many')),
  vast_length: (made) => any(framed(made, 'Content-Length: 99999999999')),
  overflowing_length: (made) => http(framed(made, 'Content-Length: 99999999999999999999999')),
  chunks: (made) => ({ pieces: inChunks(made, 7), expects: 'route' }),
  chunk_extension: (made) => any(inChunks(made, 50, ';a="b"')),
  long_chunk_extension: (made) => any(inChunks(made, 50, `;${'x'.repeat(20_000)}`)),
  broken_chunks: (made) => http(framed({ ...made, body: latin1('zz\r\n{}\r\n0\r\n\r\n') }, te)),
  overlong_chunk: (made) => http(framed({ ...made, body: latin1('ffffffffffffffffff\r\n') }, te)),
  other_coding: (made) => any(framed(inOneChunk(made), 'Transfer-Encoding: gzip, chunked')),
  chunked_twice: (made) => any(framed(inOneChunk(made), te, te)),
  cut_body: (made) => ({
    pieces: framed(made, `Content-Length: ${made.body.length + 50}`),
    half_close: true,
    expects: 'perhaps_none',
  }),
  cut_head: (made) => ({ pieces: [bytesOf(made).subarray(0, 30)], half_close: true, expects: 'perhaps_none' }),
  half_closed: (made) => ({ pieces: [bytesOf(made)], half_close: true, expects: 'perhaps_none' }),
  pipelined: (made) => ({
    pieces: [Buffer.concat([bytesOf(made), latin1('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')])],
    answers: 2,
    expects: 'any',
  }),
  slowly: (made) => ({ pieces: inPieces(bytesOf(made), 12), pause_ms: 3, expects: 'route' }),
  http_0_9: (made) => any([latin1(`GET ${made.target}\r\n\r\n`)]),
  http_1_0: (made) => any([bytesOf(made, { version: 'HTTP/1.0' })]),
  http_9_9: (made) => http([bytesOf(made, { version: 'HTTP/9.9' })]),
  http_2: () => http([latin1('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')]),
  tls: () => http([Buffer.from('16030100c8010000c40303', 'hex')]),
  line_before: (made) => any([Buffer.concat([latin1('\r\n\r\n'), bytesOf(made)])]),
  bare_lf: (made) => any([latin1(bytesOf(made).toString('latin1').replaceAll('\r\n', '\n'))]),
  no_host: (made) => any([latin1(bytesOf(made).toString('latin1').replace('Host: 127.0.0.1\r\n', ''))]),
  two_hosts: (made) => any([bytesOf(withHeader(made, 'Host', 'evil.example'))]),
  strange_host: (made) => any([bytesOf(withHeader(made, 'X-Forwarded-Host', 'a"><script>'))]),
  expect_continue: (made) => any([bytesOf(withHeader(made, 'Expect', '100-continue'))]),
  expect_other: (made) => any([bytesOf(withHeader(made, 'Expect', 'a-cake'))]),
  upgrade_websocket: (made) =>
    any([bytesOf(withHeader(withHeader(made, 'Connection', 'Upgrade'), 'Upgrade', 'websocket'))]),
  upgrade_h2c: (made) =>
    any([bytesOf(withHeader(withHeader(made, 'Connection', 'Upgrade, HTTP2-Settings'), 'Upgrade', 'h2c'))]),
  connect: (made) => ({
    pieces: [bytesOf({ ...made, method: 'CONNECT' })],
    expects: 'perhaps_none',
  }),
  lower_method: (made) => http([bytesOf({ ...made, method: made.method.toLowerCase() })]),
  unknown_method: (made) => http([bytesOf({ ...made, method: 'FROBNICATE' })]),
  connection_close: (made) => ({
    pieces: [bytesOf(withHeader(made, 'Connection', 'close'))],
    expects: 'route',
  }),
} satisfies Record<string, (made: MadeValue) => RuinedValue>

export type Hazard = keyof typeof hazards

export function ruin(hazard: Hazard, made: MadeValue): RuinedValue {
  return (hazards as Record<Hazard, (made: MadeValue) => RuinedValue>)[hazard](made)
}
