// What the page remembers of acts once nobody shows them.

import { MutationObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { queryClient } from './query.ts'

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
