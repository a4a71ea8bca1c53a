// Whom the served service takes for a proxy that RIPPER_TRUSTED_PROXIES does not name, and what the operator hears of it.

import { expect, test } from 'vitest'
import { workChecks } from '../../src/cli/doctor/work.ts'
import { startService } from '../support/service.ts'

const header_of = { 'x-forwarded-for': 'X-Forwarded-For', forwarded: 'Forwarded' } as const

test.each<[string, string[], Partial<Record<keyof typeof header_of, string>>, boolean]>([
  ['a proxy that is not named', [], { 'x-forwarded-for': '203.0.113.7' }, true],
  ['one beside others that are', ['10.0.0.0/8'], { forwarded: 'for=203.0.113.7' }, true],
  ['one that is named', ['127.0.0.1'], { 'x-forwarded-for': '1.2.3.4' }, false],
  ['one that is named and sends Forwarded alone', ['127.0.0.1'], { forwarded: 'for=1.2.3.4' }, true],
  ['no proxy', [], {}, false],
])('%s', async (_, trusted_proxies, headers, is_told) => {
  const service = await startService({ trusted_proxies })
  for (const path of ['/healthz', '/v1/nowhere', '/docs']) {
    await (await fetch(service.base_url + path, { headers })).text()
  }
  const told = service.log.filter(({ level }) => level === 'warn')
  const [header] = Object.keys(headers) as (keyof typeof header_of)[]
  const line = {
    level: 'warn',
    fields: { peer: '127.0.0.1', setting: 'RIPPER_TRUSTED_PROXIES', header: header && header_of[header] },
    message: 'requests are forwarded by a proxy, and no trusted X-Forwarded-For says for whom',
  }
  expect(told).toEqual(is_told ? [line] : [])
  await service.close()
})

const finding = (name: string, facts: object) => workChecks.find((check) => check.name === name)!.judge(facts as never)

test('the doctor names the proxy and the setting', () => {
  const { status, found, to_do } = finding('Proxies', { unnamed_proxies: ['10.0.0.2'] })
  expect(status).toBe('warning')
  expect(found).toContain('forwarded by 10.0.0.2, and no trusted X-Forwarded-For')
  expect(to_do).toContain('send X-Forwarded-For (Forwarded is not read)')
  expect(to_do).toContain('name 10.0.0.2 in RIPPER_TRUSTED_PROXIES')
})

test('the doctor counts the addresses that may pay nothing, and says what may be behind it', () => {
  const blocked_addresses = [{ merchant_id: 'm_1', count: 2 }]
  const { status, found, to_do } = finding('Card testing', { braked: [], blocked_addresses })
  expect(status).toBe('warning')
  expect(found).toContain('2 addresses of m_1')
  expect(to_do).toContain('RIPPER_TRUSTED_PROXIES')
})
