import { expect, test } from 'vitest'
import { events, routes, streams } from '../../routes.ts'
import { inlineDocument } from '../openapi/openapi.ts'
import { reference } from './reference.ts'

const document = inlineDocument(routes, events, streams)

test('every route has a part of its own kind', () => {
  expect(reference(document).groups.map(({ title }) => title)).not.toContain('Other routes')
})

test('a route whose tag has no part stands in a last one', () => {
  const changed = structuredClone(document)
  const { post } = changed.paths['/v1/webhooks/endpoints'] as Record<string, { tags: string[] }>
  post!.tags = ['Nothing we know']
  const { body, groups } = reference(changed)
  const titles = groups.map(({ title }) => title)
  expect(titles.indexOf('Other routes')).toBe(titles.indexOf('Compatible with Stripe') + 1)
  const { lines } = groups.find(({ title }) => title === 'Other routes')!
  expect(lines.map(({ title }) => title)).toEqual(['Register a webhook endpoint'])
  expect(body).toContain('<h2 class="part" id="part_others">Other routes</h2>')
  const webhooks = groups.find(({ title }) => title === 'Webhooks')!
  expect(webhooks.lines.map(({ title }) => title)).not.toContain('Register a webhook endpoint')
})
