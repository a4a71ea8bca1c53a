// Whose sessions a hosted page resumes: its own shop's.

import { beforeAll, expect, test } from 'vitest'
import { createIntegration } from '../../src/merchants/manage.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const other = await service.newAccount()

beforeAll(async () => {
  for (const [{ merchant_id }, handle] of [
    [service.account, 'tea'],
    [other, 'coffee'],
  ] as const) {
    await createIntegration(service.operator, merchant_id, { name: 'page', is_hosted_page: true, handle })
  }
})

test('a page resumes sessions of its own shop alone, and does not reveal others', async () => {
  const mine = await service.client.open()
  const theirs = await other.client.open()
  const ask = async (handle: string, id: string) =>
    (await fetch(`${service.base_url}/pay/${handle}/sessions/${id}`)).status
  expect(await ask('tea', mine.id)).toBe(204)
  expect(await ask('coffee', theirs.id)).toBe(204)
  expect(await ask('tea', theirs.id)).toBe(404)
  expect(await ask('coffee', mine.id)).toBe(404)
  expect(await ask('tea', `cs_${'0'.repeat(24)}`)).toBe(404)
  expect(await ask('tea', 'nothing')).toBe(404)
  expect(await ask('nobody', mine.id)).toBe(404)
})
