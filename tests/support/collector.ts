// A collector of traces on loopback: takes what OpenTelemetry's exporter posts, and keeps it as it came and as spans.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  name: string
  trace_id: string
  span_id: string
  /** Null for the first of a trace. */
  parent_id: string | null
  facts: Record<string, unknown>
  has_failed: boolean
  resource: Record<string, unknown>
}

export type Collector = {
  endpoint: string
  spans: CollectedSpan[]
  /** The bodies as they came. */
  bodies: string[]
  headers: IncomingMessage['headers'][]
  /** The spans below one, in the order in which they ended. */
  below(span: CollectedSpan): CollectedSpan[]
  close(): Promise<void>
}

type Pair = { key: string; value: Record<string, unknown> }

/** `answer` ends the response, or leaves it open. By default every batch is taken. */
export async function openCollector(
  answer: (response: ServerResponse) => void = (response) => response.end('{}'),
): Promise<Collector> {
  const [spans, bodies, headers] = [[], [], []] as [CollectedSpan[], string[], Collector['headers']]
  const server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    headers.push(request.headers)
    if (request.url === '/v1/traces') spans.push(...spansIn(body))
    answer(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    spans,
    bodies,
    headers,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    below: ({ span_id }) => spans.filter(({ parent_id }) => parent_id === span_id),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function spansIn(body: string): CollectedSpan[] {
  return JSON.parse(body).resourceSpans.flatMap((from: Batch) =>
    from.scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        trace_id: span.traceId,
        span_id: span.spanId,
        parent_id: span.parentSpanId ?? null,
        facts: membersOf(span.attributes),
        has_failed: span.status.code === 2,
        resource: membersOf(from.resource.attributes),
      })),
    ),
  )
}

type Batch = {
  resource: { attributes: Pair[] }
  scopeSpans: {
    spans: {
      name: string
      traceId: string
      spanId: string
      parentSpanId?: string
      attributes: Pair[]
      status: { code: number }
    }[]
  }[]
}

function membersOf(pairs: Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}
