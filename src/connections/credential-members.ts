// The members of a connector's credentials file, for people: read from the schema that judges the file.

import { z } from 'zod'
import type { KnownConnector } from './known-connector.ts'

export type CredentialMembers = { required: string[]; optional: string[] }

export function membersOf({ credentials }: Pick<KnownConnector, 'credentials'>): CredentialMembers {
  const { properties = {}, required = [] } = z.toJSONSchema(credentials, { io: 'input' })
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return { required, optional }
}

/** One line for each kind of file, with the connectors that take it. Members that not everybody needs are in brackets. */
export function membersWords(connectors: readonly KnownConnector[]): string[] {
  const files = Map.groupBy(connectors, (connector) => {
    const { required, optional } = membersOf(connector)
    return `${required.join(', ')}${optional.length > 0 ? `, [${optional.join(', ')}]` : ''}`
  })
  const rows = [...files].map(([members, some]) => {
    return { names: some.map(({ name }) => name).join(', '), members }
  })
  const width = Math.max(...rows.map(({ names }) => names.length))
  return rows.map(({ names, members }) => `${names.padEnd(width)}   ${members}`)
}
