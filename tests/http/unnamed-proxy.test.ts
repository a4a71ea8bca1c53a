// Whom the served service takes for a proxy that RIPPER_TRUSTED_PROXIES does not name, and what the operator hears of it.

import { expect, test } from 'vitest'
import { workChecks } from '../../src/cli/doctor/work.ts'
import { startService } from '../support/service.ts'

test.each<[string, { trusted_proxies: string[] }, Record<string, string>, number]>([
  ['a proxy that is not named', { trusted_proxies: [] }, { 'x-forwarded-for': '203.0.113.7' }, 1],
  [
    'one beside others that are',
    { trusted_proxies: ['10.0.0.0/8'] },
    { forwarded: 'for=203.0.113.7' },
    1,
  ],
  ['one that is named', { trusted_proxies: ['127.0.0.1'] }, { 'x-forwarded-for': '1.2.3.4' }, 0],
  ['no proxy', { trusted_proxies: [] }, {}, 0],
])('%s', async (_, options, headers, lines) => {
  const service = await startService(options)
  for (const path of ['/healthz', '/v1/nowhere', '/docs']) {
    await (await fetch(service.base_url + path, { headers })).text()
  }
  const told = service.log.filter(({ level }) => level === 'warn')
  expect(told).toEqual(
    Array(lines).fill({
      level: 'warn',
      fields: { peer: '127.0.0.1', setting: 'RIPPER_TRUSTED_PROXIES' },
      message: 'requests are forwarded by a proxy that is not among the trusted ones',
    }),
  )
  await service.close()
})

const finding = (name: string, facts: object) =>
  workChecks.find((check) => check.name === name)!.judge(facts as never)

test('the doctor names the proxy and the setting', () => {
  const { status, found, to_do } = finding('Proxies', { unnamed_proxies: ['10.0.0.2'] })
  expect(status).toBe('warning')
  expect(found).toContain('forwarded by 10.0.0.2, not named in RIPPER_TRUSTED_PROXIES')
  expect(to_do).toContain('add 10.0.0.2 to RIPPER_TRUSTED_PROXIES')
})

test('the doctor counts the addresses that may pay nothing, and says what may be behind it', () => {
  const blocked_addresses = [{ merchant_id: 'm_1', count: 2 }]
  const { status, found, to_do } = finding('Card testing', { braked: [], blocked_addresses })
  expect(status).toBe('warning')
  expect(found).toContain('2 addresses of m_1')
  expect(to_do).toContain('RIPPER_TRUSTED_PROXIES')
})
