// What the settings of traces accept, and the messages for wrong ones.

import { expect, test } from 'vitest'
import { configFaults, readConfig, shownValue } from './config.ts'
import { traceSettings } from './traces.ts'

const [endpoint, headers, share] = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
]

test.each<[Record<string, string>, object]>([
  [{}, { endpoint: null, headers: null, share: 1 }],
  [
    { [endpoint]: 'http://127.0.0.1:4318/', [share]: '0.05' },
    { endpoint: 'http://127.0.0.1:4318', headers: null, share: 0.05 },
  ],
  [
    { [headers]: 'Authorization=Bearer%20a=b, x-team=tea', [share]: '0' },
    { endpoint: null, headers: { authorization: 'Bearer a=b', 'x-team': 'tea' }, share: 0 },
  ],
  [{ [share]: '.5' }, { endpoint: null, headers: null, share: 0.5 }],
])('%j', (environment, traces) => {
  expect(readConfig(environment).traces).toEqual(traces)
})

test.each([
  [endpoint, '127.0.0.1:4318'],
  [endpoint, 'http://user:secret@127.0.0.1:4318'],
  [headers, 'authorization'],
  [headers, 'a b=c'],
  [headers, 'a=%zz'],
  [share, '1.1'],
  [share, '-1'],
  [share, '1e-3'],
  [share, 'half'],
])('%s=%s is refused, and not repeated', (name, value) => {
  const faults = configFaults({ [name!]: value! })
  expect(faults).toEqual([expect.stringContaining(`${name} must be `)])
  expect(faults[0]).not.toContain(value)
})

test('the headers are shown to nobody', () => {
  expect(shownValue(traceSettings.headers, { [headers!]: 'authorization=key' })).toBe('(set)')
})
