// What the page remembers of acts once nobody shows them.

import { MutationObserver, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { forget, queryClient } from './query.ts'

test('a secret is forgotten with the dialog that showed it', async () => {
  const act = new MutationObserver(queryClient, {
    mutationFn: async (credentials: string) => ({ secret_key: credentials }),
  })
  const close = act.subscribe(() => undefined)
  await act.mutate('rip_sk_test_1')
  const kept = () =>
    JSON.stringify(
      queryClient
        .getMutationCache()
        .getAll()
        .map((each) => each.state),
    )
  expect(kept()).toContain('rip_sk_test_1')
  close()
  await expect.poll(kept).toBe('[]')
})

test('after an act, a screen that is opened next reads anew', async () => {
  let reads = 0
  const open = () =>
    new QueryObserver(queryClient, {
      queryKey: ['GET /{merchant_id}/overview'],
      queryFn: async () => ++reads,
    }).subscribe(() => undefined)
  const leave = open()
  await expect.poll(() => reads).toBe(1)
  leave()
  open()()
  expect(reads).toBe(1)
  await forget('GET /{merchant_id}/webhooks/endpoints')
  open()()
  await expect.poll(() => reads).toBe(2)
})
