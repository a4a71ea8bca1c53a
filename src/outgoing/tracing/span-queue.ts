// Keeps a limited number of spans until they are sent, and logs how many were lost. No request waits for the collector
// or learns of its failures.

import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { failureKind } from '../../kernel/tracing.ts'
import type { World } from '../../kernel/world.ts'

/** Some 2 KB of memory each. */
export const spans_max = 4_096
const batch_max = 512
const send_every_ms = 2_000
const told_every_ms = 60_000

export type SpanQueue = {
  processor: SpanProcessor
  /** Sends the rest within this time. Never rejects. */
  close(timeout_ms: number): Promise<void>
}

export function openSpanQueue(exporter: SpanExporter, { clock, log }: Pick<World, 'clock' | 'log'>): SpanQueue {
  /** Ended spans that were not sent, including those under way. */
  let waiting_count = 0
  let lost_count = 0
  let why = ''
  let told_ms = Number.NEGATIVE_INFINITY

  function lose(spans: number, reason: string): void {
    lost_count += spans
    why = reason
    const now_ms = clock.now().getTime()
    if (now_ms >= told_ms && now_ms - told_ms < told_every_ms) return
    told_ms = now_ms
    tell()
  }

  function tell(): void {
    if (lost_count > 0) log.warn({ spans: lost_count, reason: why }, 'traces lost')
    lost_count = 0
  }

  const countingExporter: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        waiting_count -= spans.length
        if (result.error) lose(spans.length, failureKind(result.error))
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const batches = new BatchSpanProcessor({
    exporter: countingExporter,
    maxQueueSize: spans_max,
    maxExportBatchSize: batch_max,
    scheduledDelayMillis: send_every_ms,
  })
  const processor: SpanProcessor = {
    onStart() {},
    onEnd(span) {
      if (waiting_count >= spans_max) return lose(1, 'queue_full')
      waiting_count += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }

  async function close(timeout_ms: number): Promise<void> {
    const ending = new AbortController()
    const over = clock.sleep(timeout_ms, ending.signal).catch(() => {})
    await Promise.race([batches.shutdown().catch(() => {}), over])
    ending.abort()
    if (waiting_count > 0) {
      lost_count += waiting_count
      why = 'not_answered'
    }
    tell()
  }

  return { processor, close }
}
