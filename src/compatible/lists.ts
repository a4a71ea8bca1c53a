// The lists of the other platform: what their queries may ask for, and the list object. Its clients name the object at which the page
// before ended, and spell members and entries in brackets: `created[gte]=1788264000`, `expand[0]=data.latest_charge`.

import { z } from 'zod'
import { setMember } from '../http/json.ts'
import { Refusal } from '../kernel/errors.ts'
import { millisecondsOf } from '../kernel/ids.ts'
import { must } from '../payments/fields.ts'
import { type Direction, lines_max } from '../payments/reading/line-look.ts'

const limit_default = 10
const limit_max = 100

/** A query whose names may have brackets, as its schema reads it. */
export function queryOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withoutBrackets, z.strictObject(shape))
}

const bracketed = /^([^[\]]+)\[([^\]]*)\]$/

/** `created[gte]` becomes a member of the object `created`, and what is sent as `expand[]` its member ''. */
function withoutBrackets(query: unknown): object {
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query as object)) {
    const [, base = name, key] = bracketed.exec(name) ?? []
    const members = Object.hasOwn(plain, base) ? plain[base] : {}
    if (key === undefined || members === null || typeof members !== 'object') setMember(plain, name, value)
    else {
      setMember(members as Record<string, unknown>, key, value)
      setMember(plain, base, members)
    }
  }
  return plain
}

const limitWords = must(`be a whole number from 1 to ${limit_max}`)
export const idText = z.string(must('be an id')).regex(/^[\w-]{1,255}$/, must('be the id of an object of the list'))
const seconds = z
  .string()
  .refine((text) => /^\d{1,11}$/.test(text))
  .meta({ type: 'integer' })
const second = seconds.optional()

const bounds = z.strictObject({ gt: second, gte: second, lt: second, lte: second })

/** The members of every list's query. */
export const listMembers = {
  limit: z
    .string(limitWords)
    .refine((text) => /^([1-9]\d?|100)$/.test(text), limitWords)
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: limit_max, description: `${limit_default} where it is absent` }),
  starting_after: idText.optional().meta({ description: 'the last object of the page before' }),
  ending_before: idText.optional().meta({ description: 'the first object of the page after' }),
  created: z
    .union([seconds, bounds], {
      error: 'must be Unix seconds, or have some of them as gt, gte, lt and lte',
    })
    .transform(spanOf)
    .optional()
    .meta({
      anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }],
      description: 'Unix seconds, or `created[gt]`, `[gte]`, `[lt]`, `[lte]`',
    }),
}

type Span = { created_from: Date | undefined; created_before: Date | undefined }
type Bounds = { gt?: string; gte?: string; lt?: string; lte?: string }

/** `created` of an object is its time without the parts of a second. */
function spanOf(created: string | Bounds): Span {
  const { gt, gte, lt, lte } = typeof created === 'string' ? { gte: created, lte: created } : created
  const from = [gte && Number(gte), gt && Number(gt) + 1].filter((each) => typeof each === 'number')
  const before = [lt && Number(lt), lte && Number(lte) + 1].filter((each) => typeof each === 'number')
  return {
    created_from: from.length > 0 ? new Date(Math.max(...from) * 1000) : undefined,
    created_before: before.length > 0 ? new Date(Math.min(...before) * 1000) : undefined,
  }
}

type ListQuery = {
  limit?: number | undefined
  starting_after?: string | undefined
  ending_before?: string | undefined
  created?: Span | undefined
}

/** What a page is asked for. `edge` is the object next to it; null at the beginning of the list. */
export type PageRequest = Span & { limit: number; edge: string | null; direction: Direction }

/** Throws `invalid_request` where both edges were sent. */
export function pageRequestOf({
  limit = limit_default,
  starting_after,
  ending_before,
  created,
}: ListQuery): PageRequest {
  if (starting_after !== undefined && ending_before !== undefined) {
    const words = 'ending_before cannot be sent with starting_after: send one of them.'
    throw new Refusal('invalid_request', words, { field: 'ending_before' })
  }
  return {
    limit,
    edge: starting_after ?? ending_before ?? null,
    direction: ending_before === undefined ? 'older' : 'newer',
    created_from: created?.created_from,
    created_before: created?.created_before,
  }
}

/** The refusal for an edge that is no object of the list. */
export function noEdge({ direction }: Pick<PageRequest, 'direction'>, noun: string): Refusal {
  const field = direction === 'older' ? 'starting_after' : 'ending_before'
  const words = `${field} names no ${noun} of yours.`
  return new Refusal('invalid_request', words, { field, platform_code: 'resource_missing' })
}

/** A page in the direction that was asked for, one row longer than it is shown where there are more. */
export type Look<Row> = {
  rows: Row[]
  /** The id of the last journal line that was looked at, if the look ended before the merchant's rows did. */
  ended_at: string | null
}

/**
 * The rows of a page, newest first. Throws `invalid_request` for undefined, which says that the edge is no object of the list; and where a
 * look found none before it ended: clients go on at the last object of a page, so that an empty page would be the end.
 */
export function pageOf<Row>(look: Look<Row> | undefined, request: PageRequest, noun: string) {
  if (!look) throw noEdge(request, noun)
  const { rows, ended_at } = look
  const { limit, direction } = request
  if (rows.length === 0 && ended_at !== null) throw lookEnded(ended_at, direction)
  const page = rows.slice(0, limit)
  return {
    rows: direction === 'older' ? page : page.toReversed(),
    has_more: rows.length > limit || ended_at !== null,
  }
}

function lookEnded(ended_at: string, direction: Direction): Refusal {
  const next = Math.floor(millisecondsOf(ended_at) / 1000)
  const bound = direction === 'older' ? `created[lte]=${next}` : `created[gte]=${next}`
  const words = `There is none among the ${lines_max} changes of your account next to this place: go on with ${bound}.`
  return new Refusal('invalid_request', words, { field: 'created' })
}

/** The schema of a list of objects at an address. */
export function listView<Row extends z.ZodType, Url extends string>(row: Row, url: Url) {
  return z.object({ object: z.literal('list'), url: z.literal(url), has_more: z.boolean(), data: z.array(row) })
}

/** The list object. Clients go on at its address below their own base, whatever path they called. */
export function viewList<Row, const Url extends string>(url: Url, data: Row[], has_more: boolean) {
  return { object: 'list' as const, url, has_more, data }
}
