// What doctor says where the service's address gives no answer: the reason, and what helps against that one.

import { expect, test } from 'vitest'
import { judgeAll } from '../../src/cli/doctor/finding.ts'
import { type ServiceFacts, serviceChecks } from '../../src/cli/doctor/service.ts'

const unreached: ServiceFacts = {
  base_url: 'https://pay.example',
  health_status: null,
  ready_status: null,
  ready_fault: null,
  health_failure: null,
  is_itself: false,
  is_same_release: null,
  clock_ahead_ms: null,
}

test.each<[string, boolean, RegExp]>([
  ['ECONNREFUSED', false, /^Start it/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, /NODE_EXTRA_CA_CERTS, or look .* --base-url/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, /NODE_EXTRA_CA_CERTS/],
  ['ENOTFOUND', false, /DNS or RIPPER_BASE_URL, or look .* --base-url/],
  ['no answer in time', false, /^Look at the proxy/],
  ['ECONNREFUSED', true, /^The service runs, but does not reach itself there/],
  ['no answer in time', true, /^The service runs, but/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', true, /NODE_EXTRA_CA_CERTS\.$/],
])('why the service cannot be reached: %s, itself %s', (health_failure, is_itself, advice) => {
  const facts = { ...unreached, health_failure, is_itself }
  const [found] = judgeAll(serviceChecks, facts)
  expect(found!.found).toBe(`https://pay.example cannot be reached (${health_failure})`)
  expect(found!.to_do).toMatch(advice)
})
