// Every route of the dashboard by its name: what it takes and what it answers, as the service's own records say.

import type { DashboardRoutes } from '../../../src/dashboard/routes.ts'

type Short<Path> = Path extends `/dashboard/api${infer Rest}` ? Rest : never

/** The members of a record's `told` that it has. */
type ToldOf<Record> = Record extends {
  readonly told?: { query: infer Query; body: infer Body; reply: infer Reply }
}
  ? { reply: Reply } & (undefined extends Query ? unknown : { query: Asked<Query> }) &
      (undefined extends Body ? unknown : { body: Body })
  : never

/** An address has everything as text, so figures need not be written as such. */
type Asked<Query> = { [Name in keyof Query]: Query[Name] | number | null }

export type Routes = {
  [Record in DashboardRoutes as `${Record['method']} ${Short<Record['path']>}`]: ToldOf<Record>
}

export type RouteName = keyof Routes
export type ReplyOf<Name extends RouteName> = Routes[Name]['reply']

/** The names in braces of a path. */
type ParamNames<Path extends string> = Path extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamNames<Rest>
  : never
export type Params<Name extends RouteName> = { [Param in ParamNames<Name>]: string }
