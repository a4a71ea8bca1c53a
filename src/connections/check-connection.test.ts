import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { realClock } from '../../tests/support/world.ts'
import { openKeyring } from '../kernel/keyring.ts'
import { checkConnection } from './check-connection.ts'
import { type ConnectionRow, type Credentials, sealCredentials } from './connection.ts'
import { connectors } from './connectors.ts'

const keyring = openKeyring([randomBytes(32)], { bytes: randomBytes })
const key = { merchant_id: 'm_1', connection_id: 'conn_1' } as const

function rowOf(connector: string, mode: ConnectionRow['mode'], credentials: Credentials): ConnectionRow {
  return {
    ...key,
    kind: 'acquirer',
    connector,
    label: 'main',
    mode,
    state: 'active',
    sealed_credentials: sealCredentials(keyring, key, credentials),
    previous_sealed_credentials: null,
    previous_until: null,
    created_at: new Date(0),
    rotated_at: null,
    disabled_at: null,
  }
}

test.each<[string, 'live' | 'sandbox', Credentials]>([
  ['checkout', 'live', { secret_key: 'sk_sbox_Oolong' }],
  ['checkout', 'sandbox', { secret_key: 'sk_Oolong' }],
  ['stripe', 'live', { secret_key: 'sk_test_Oolong' }],
  ['stripe', 'sandbox', { secret_key: 'rk_live_Oolong' }],
  ['adyen', 'live', { api_key: 'Oolong', merchant_account: 'TeaCOM' }],
  ['adyen', 'sandbox', { api_key: 'Oolong', merchant_account: 'TeaCOM', live_prefix: '17-Tea' }],
])('%s, mode %s: a key of the other environment fails, and nobody is asked', async (connector, mode, credentials) => {
  const urls: string[] = []
  const ask = async ({ url }: { url: string }) => {
    urls.push(url)
    throw new Error('nobody is there')
  }
  const parts = { keyring, clock: realClock, connectors, wire: { send: ask } }
  const answer = await checkConnection(parts, rowOf(connector, mode, credentials), 1_000)
  expect(answer).toEqual({
    result: 'fails',
    reason: expect.stringMatching(`^the key is of the vendor's .* is of mode ${mode}$`),
  })
  expect(JSON.stringify(answer)).not.toContain('Oolong')
  expect(urls).toEqual([])
  // At another address the key need not have the vendor's form.
  const elsewhere = { ...credentials, api_url: 'https://vendor.example' }
  await checkConnection(parts, rowOf(connector, mode, elsewhere), 1_000)
  expect(urls).not.toEqual([])
})
