// What `npm run failover` makes of the answers around a failover, and what it tells Patroni and HAProxy.

import { describe, expect, test } from 'vitest'
import { type Cluster, haproxyFile, patroniFile } from '../../proofs/failover/configuration.ts'
import { figuresOf } from '../../proofs/failover/figures.ts'
import type { DiaryCall } from '../../proofs/storm/diary.ts'

const failed_over = { lag_ms: 9_000, lagged_at: new Date(0), died_ms: 10_000, promoted_ms: 30_000 }

function call(status: number | null, begin_ms: number, end_ms: number, method = 'POST'): DiaryCall {
  const asked = { method: method as 'POST', path: '/v1/checkout/sessions', headers: {} }
  return { client: 'a', asked, begin_ms, end_ms, said: { status, text: '', body: null, replayed: false } }
}

describe('the figures of a failover', () => {
  const before = call(201, 9_000, 9_100)
  const first = call(201, 31_000, 31_400)

  test('count from the death to the first write that began after it', () => {
    const calls = [before, call(503, 10_100, 10_130), call(503, 12_000, 12_020), first]
    expect(figuresOf([...calls, call(null, 9_500, 22_000), call(503, 40_000, 40_010)], failed_over)).toEqual({
      acknowledged: 2,
      unavailable: 2,
      unanswered: 1,
      slowest_ms: 30,
      promotion_ms: 20_000,
      after_promotion_ms: 1_400,
    })
  })

  test.each<[string, DiaryCall]>([
    ['a read', call(200, 10_500, 10_600, 'GET')],
    ['a write that began before the death', call(201, 9_990, 10_050)],
    ['a refusal', call(422, 11_000, 11_010)],
  ])('%s is no first write', (_name, other) => {
    expect(figuresOf([before, other, first], failed_over).after_promotion_ms).toBe(1_400)
  })

  test('where no write follows, the wait has no end', () => {
    expect(figuresOf([before], failed_over).after_promotion_ms).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the configuration', () => {
  const node = { name: 'one', api_port: 1, server_port: 2, folder: '/data/one' }
  const cluster = (is_synchronous: boolean): Cluster => ({
    nodes: [node],
    etcd_port: 3,
    etcd_peer_port: 4,
    haproxy_port: 5,
    postgres_folder: '/server/bin',
    is_synchronous,
  })

  test.each([true, false])('commits wait for the standby: %s', (is_synchronous) => {
    const told = JSON.parse(patroniFile(node, cluster(is_synchronous)))
    expect(told.bootstrap.dcs.synchronous_mode).toBe(is_synchronous)
  })

  test('the standby is copied at once, and not after a checkpoint that takes its time', () => {
    expect(JSON.parse(patroniFile(node, cluster(true))).postgresql.basebackup).toEqual([{ checkpoint: 'fast' }])
  })

  test('HAProxy asks Patroni for the primary, and cuts the connections to the one before', () => {
    const told = haproxyFile(cluster(true))
    expect(told).toContain('server one 127.0.0.1:2 check port 1')
    expect(told).toContain('on-marked-down shutdown-sessions')
  })
})
