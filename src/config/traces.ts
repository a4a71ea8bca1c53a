// The settings of traces, under the names that OpenTelemetry gave them.

import { address, fail, optional, type Setting } from './setting.ts'

const share_name = 'OTEL_TRACES_SAMPLER_ARG'

export const traceSettings = {
  endpoint: optional(
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      meaning: 'collector of traces by OTLP over HTTP, such as http://127.0.0.1:4318',
      fallback: 'none: nothing is traced',
    },
    address,
  ),
  headers: optional(
    {
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      meaning: 'headers for the collector, comma separated, such as authorization=Bearer%20…',
      fallback: 'none',
      secret: true,
    },
    readHeaders,
  ),
  share: {
    name: share_name,
    meaning: 'share of the requests that are traced, 0 to 1',
    fallback: '1',
    read(value) {
      if (value === null) return 1
      const share = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
      return share <= 1 ? share : fail(share_name, 'a number from 0 to 1')
    },
  } satisfies Setting<number> as Setting<number>,
}

/** Values are percent-encoded. */
function readHeaders(text: string, name: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().match(/^([\w!#$%&'*+.^`|~-]+)=(.*)$/))
  try {
    return Object.fromEntries(pairs.map((pair) => [pair![1]!.toLowerCase(), decodeURIComponent(pair![2]!)]))
  } catch {
    return fail(name, 'pairs such as name=value, separated by commas, the values percent-encoded')
  }
}
