// Counts for Prometheus, served at /metrics.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof openMetrics>

export function openMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'ripper_http_request_duration_seconds',
    help: 'Duration of answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const payments = new Counter({
    name: 'ripper_payments_total',
    help: 'Payments by the status that confirm ended with.',
    labelNames: ['status', 'mode'],
    registers,
  })
  const ready = new Gauge({ name: 'ripper_ready', help: '1 while /readyz answers 200.', registers })
  return {
    requestEnded(method: string, route: string, status: number, duration_seconds: number) {
      requests.labels(method, route, String(status)).observe(duration_seconds)
    },
    paymentConfirmed(status: string, mode: string) {
      payments.labels(status, mode).inc()
    },
    readiness(isReady: boolean) {
      ready.set(isReady ? 1 : 0)
    },
    content_type: registry.contentType,
    text: () => registry.metrics(),
  }
}
