// Finds which answers feed which calls, so that what reads the description can go from one to the other.

import type { Schema } from '../../kernel/json-schema.ts'
import type { Link, OpenApiDocument, Operation, Response } from './document.ts'

type Place = { path: string; operation: Operation }

/** `types` are those of one of its answers. */
type Answered = Place & { types: Schema[] }

/** Adds its links to each success. Types are still where they are used. */
export function addLinks(paths: OpenApiDocument['paths']): void {
  const places = Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).map((operation): Place => ({ path, operation })),
  )
  const names = idNames(places)
  for (const place of places) {
    for (const [status, response] of Object.entries(place.operation.responses)) {
      if (!status.startsWith('2')) continue
      const links = linksOf({ ...place, types: typesOf(response) }, names, places)
      if (Object.keys(links).length > 0) response.links = links
    }
  }
}

function linksOf(place: Answered, names: ReadonlyMap<string, string>, places: readonly Place[]): Record<string, Link> {
  const { operation, types } = place
  const links: Record<string, Link> = {}
  for (const [member, parameter] of fedBy(place, names, places)) {
    for (const target of places.filter((each) => takes(each, parameter) && isForSameKey(each.operation, operation))) {
      if (target.operation === operation) continue
      links[target.operation.operationId] ??= linkOf(target.operation, parameter, member)
    }
  }
  if (types.some(({ properties = {} }) => 'next_cursor' in properties)) {
    links.next_page = linkOf(operation, 'after', 'next_cursor')
  }
  return links
}

function linkOf({ operationId }: Operation, parameter: string, member: string): Link {
  const parameters = { [parameter]: `$response.body#/${member}` }
  return { operationId, parameters, description: `\`${member}\` is its \`${parameter}\`.` }
}

/** The members of an answer that are parameters of paths: by their names, or as the id of what the answer is. */
function fedBy(place: Answered, names: ReadonlyMap<string, string>, places: readonly Place[]): [string, string][] {
  const created = places.map(({ path }) => onlyParameter(path)).filter((name) => isBelow(place.path, name, places))
  return place.types.flatMap(({ title = '', properties = {} }) =>
    Object.keys(properties).flatMap((member): [string, string][] => {
      const parameter = member === 'id' ? (names.get(title) ?? created[0]) : (otherNames[member] ?? member)
      return parameter === undefined ? [] : [[member, parameter]]
    }),
  )
}

/** Members that are not called as the parameter of paths is. */
const otherNames: Record<string, string> = {
  checkout_session_id: 'session_id',
  payment_intent: 'session_id',
  charge: 'charge_id',
  latest_charge: 'charge_id',
}

/** What a type's id is called in paths: the type that is read at `…/{session_id}` has a `session_id`. */
function idNames(places: readonly Place[]): Map<string, string> {
  return new Map(
    places.flatMap(({ path, operation }) => {
      const [, name] = /\/\{(\w+)\}$/.exec(path) ?? []
      return name === undefined
        ? []
        : Object.values(operation.responses)
            .flatMap(typesOf)
            .map(({ title }) => [title ?? '', name] as const)
    }),
  )
}

function isBelow(path: string, name: string | undefined, places: readonly Place[]): name is string {
  return name !== undefined && places.some((each) => each.path === `${path}/{${name}}`)
}

function takes({ path }: Place, parameter: string): boolean {
  return onlyParameter(path) === parameter
}

function onlyParameter(path: string): string | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return names.length === 1 ? names[0] : undefined
}

function isForSameKey(one: Operation, other: Operation): boolean {
  const keys = one.security.flatMap(Object.keys)
  return other.security.flatMap(Object.keys).some((each) => keys.includes(each))
}

function typesOf({ content }: Response): Schema[] {
  const schema: Schema | undefined = content?.['application/json']?.schema
  return schema ? (schema.anyOf ?? [schema]) : []
}
