// Spans by OpenTelemetry's library, sent to a collector by OTLP over HTTP. Node's own storage keeps which span is under
// way. No trace continues one of a caller, and none is passed on: otherwise a shopper's header could hide requests,
// have all of them recorded, or write into other traces. A caller's request is found by its id.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type Span as RawSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { OpenedTracing, Span, SpanFacts, Tracing } from '../../kernel/tracing.ts'
import { version } from '../../kernel/version.ts'
import type { World } from '../../kernel/world.ts'
import { openSpanQueue } from './span-queue.ts'

export type SpanOptions = {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string
  /** The headers that the collector needs with each request: usually a key. */
  headers: Record<string, string>
  /** The share of traces that are recorded, 0 to 1. */
  share: number
}

/** The span's state, which goes with its work. */
type SpanState = { context: Context; trace: { shared: SpanFacts; has_ended: boolean } }

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}
const request_timeout_ms = 5_000
const close_timeout_ms = 5_000

export function openSpans(
  { endpoint, headers, share }: SpanOptions,
  world: Pick<World, 'clock' | 'log'>,
): OpenedTracing {
  const url = `${endpoint}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: request_timeout_ms })
  const queue = openSpanQueue(exporter, world)
  const release = version()
  const serviceResource = resourceFromAttributes({ 'service.name': 'ripper', 'service.version': release })
  // From OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, if they are set.
  const environmentResource = detectResources({ detectors: [envDetector] })
  const provider = new TracerProvider({
    resource: defaultResource().merge(serviceResource).merge(environmentResource),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [queue.processor],
    spanLimits: { attributeValueLengthLimit: 256 },
  })
  const tracer = provider.getTracer('ripper', release)
  const places = new AsyncLocalStorage<SpanState>()

  function spanOf(raw: RawSpan, place: SpanState, is_root: boolean): Span {
    return {
      within: (work) => places.run(place, work),
      end(facts = {}, failure = null) {
        raw.setAttributes(attributesOf(facts))
        if (failure !== null) {
          raw.setAttribute('error.type', failure)
          raw.setStatus({ code: SpanStatusCode.ERROR })
        }
        if (is_root) place.trace.has_ended = true
        raw.end()
      },
    }
  }

  const begin: Tracing['begin'] = (name, kind, facts, sharedFacts = {}) => {
    const attributes = attributesOf({ ...facts, ...sharedFacts })
    const raw = tracer.startSpan(name, { kind: kinds[kind], attributes }, ROOT_CONTEXT)
    const context = trace.setSpan(ROOT_CONTEXT, raw)
    return spanOf(raw, { context, trace: { shared: sharedFacts, has_ended: false } }, true)
  }

  const step: Tracing['step'] = (name, kind, facts = {}) => {
    const within = places.getStore()
    if (within === undefined || within.trace.has_ended) return null
    const attributes = attributesOf({ ...facts, ...within.trace.shared })
    const raw = tracer.startSpan(name, { kind: kinds[kind], attributes }, within.context)
    const context = trace.setSpan(within.context, raw)
    return spanOf(raw, { ...within, context }, false)
  }

  return { begin, step, close: () => queue.close(close_timeout_ms) }
}

function attributesOf(facts: SpanFacts): Record<string, string | number | boolean> {
  const attributes = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(attributes) as Record<string, string | number | boolean>
}
