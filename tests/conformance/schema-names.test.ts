// Types in the API's description: each stands once, under a name, and says what it said where it stood.

import { expect, test } from 'vitest'
import { namedSchemas } from '../../src/documents/openapi/named-schemas.ts'
import { inlineDocument, openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { guideFiles } from '../../src/documents/site/guide-files.ts'
import { documentation } from '../../src/documents/site/pages.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { resolve, type Schema } from '../support/schema.ts'

const inline = inlineDocument(routes, events, streams)
const served = openApiDocument(routes, events, streams)
const names = namedSchemas(inline).map(({ name }) => name)

type SchemaNode = { at: string; node: Schema }

function nodesOf(node: unknown, at: string): SchemaNode[] {
  if (node === null || typeof node !== 'object') return []
  const inner = Object.entries(node).flatMap(([name, each]) => nodesOf(each, `${at}/${name}`))
  return Array.isArray(node) ? inner : [{ at, node: node as Schema }, ...inner]
}
const nodes = nodesOf(served, '#')

test('every name is of one shape alone, wherever it occurs, and has a note', () => {
  const named = nodesOf({ paths: inline.paths, webhooks: inline.webhooks }, '#').filter(
    ({ node }) => typeof node.title === 'string',
  )
  const byName = Map.groupBy(named, ({ node }) => node.title!)
  const several = [...byName].filter(([, places]) => {
    return new Set(places.map(({ node: { description: _, ...shape } }) => JSON.stringify(shape))).size > 1
  })
  expect(several.map(([name]) => name)).toEqual([])
  expect(named.filter(({ node }) => !node.note?.endsWith('.')).map(({ at }) => at)).toEqual([])
  expect(new Set(byName.keys())).toEqual(new Set(names))
  expect(Object.keys(served.components.schemas)).toEqual(expect.arrayContaining(names))
  const shapes = names.map((name) => {
    const { description: _, ...shape } = resolve(`#/components/schemas/${name}`, served)
    return JSON.stringify(shape)
  })
  expect(new Set(shapes).size).toBe(names.length)
})

test('every reference leads to a component, and every name is referred to', () => {
  const references = nodes.flatMap(({ node }) => node.$ref ?? [])
  for (const reference of references) expect(resolve(reference, served)).toBeDefined()
  const missed = names.filter((name) => !references.includes(`#/components/schemas/${name}`))
  expect(missed).toEqual([])
})

/** What a refusal's code is one of is no type of its own, nor is a body without members. */
const isType = ({ at, node }: SchemaNode) =>
  node.type === 'object' &&
  Object.keys(node.properties ?? {}).length > 1 &&
  !/\/responses\/[45]\d\d\/.*\/schema(\/anyOf\/\d)?(\/allOf\/\d)?$/.test(at)

test('a body or an answer has a name, and no shape stands twice', () => {
  const types = nodes.filter(isType)
  const whole = /\/(json|event-stream|x-www-form-urlencoded)\/schema$/
  expect(types.filter(({ at }) => whole.test(at)).map(({ at }) => at)).toEqual([])
  const places = Map.groupBy(types, ({ node: { description: _, ...shape } }: SchemaNode) => JSON.stringify(shape))
  const twice = [...places.values()].filter((each) => each.length > 1)
  expect(twice.map((each) => each.map(({ at }) => at))).toEqual([])
})

/** With what references name in their place, and without what is said of it. */
function whole(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(whole)
  if (node === null || typeof node !== 'object') return node
  const { $ref, title, note: _, ...rest } = node as Record<string, unknown>
  if (typeof $ref === 'string') {
    const { description: __, ...shape } = resolve($ref, served)
    return whole({ ...shape, ...rest })
  }
  const kept = typeof title === 'string' ? rest : node
  return Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, whole(each)]))
}

test('it says what it says with every shape in its place', () => {
  const { paths, webhooks } = inline
  expect(whole({ paths: served.paths, webhooks: served.webhooks })).toEqual(whole({ paths, webhooks }))
})

test('the page has a place for each, and links lead there from where it is used', () => {
  const page = documentation(inline, guideFiles()).get('/docs')!.body
  for (const name of names) {
    expect([name, page.includes(`<section id="${name}">`)]).toEqual([name, true])
    expect([name, page.includes(`<a href="#${name}">${name}</a>`)]).toEqual([name, true])
  }
})
