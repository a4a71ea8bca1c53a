// The pages for operators and tools: health, readiness, metrics, the API's description, the guides.

import { cellFault, cellsOf } from '../database/cells/cells.ts'
import type { Sql } from '../database/open.ts'
import type { OpenApiDocument } from '../documents/openapi/document.ts'
import { withReferences } from '../documents/openapi/named-schemas.ts'
import { inlineDocument } from '../documents/openapi/openapi.ts'
import { guideFiles, guidePages } from '../documents/site/guide-files.ts'
import { documentationPages } from '../documents/site/pages.ts'
import { gzippedOnce, lasting } from '../http/encoded.ts'
import type { Page, PageAnswer } from '../http/pages.ts'
import type { Context } from '../payments/context.ts'
import { events, routes, streams } from '../routes.ts'

/**
 * `closing.now` turns readiness off while the last requests are answered. `faultOf` says what is wrong with the
 * process, or null.
 */
export function operationalPages(
  closing: { now: boolean },
  faultOf: () => string | null = () => null,
): Page<Context>[] {
  const lookWhetherReady = openReadiness(closing, faultOf)
  const nodesAway = openNodeChecks()
  return [
    get('/', async () => ({ status: 302, body: '', headers: { location: '/docs' } })),
    health('/healthz', async () => plain(200, 'ok\n')),
    health('/readyz', async (context) => {
      const { is_ready, fault } = await lookWhetherReady(context)
      // If a node is away, only its own merchants are affected: the process goes on with the others.
      const away = is_ready ? await nodesAway(context) : []
      if (away.length > 0) return plain(200, `ready, without ${away.join(', ')}\n`)
      if (is_ready) return plain(200, 'ready\n')
      return plain(503, fault === null ? 'not ready\n' : `not ready: ${fault}\n`)
    }),
    health(metrics_path, openMetricsAnswer(lookWhetherReady)),
    get('/openapi.json', async () => description().json),
    ...guides(),
  ]
}

export const metrics_path = '/metrics'

let pages: Page<Context>[] | null = null

/** Read once for all services in this process. */
function guides(): Page<Context>[] {
  pages ??= [...documentationPages<Context>(() => description().document, guideFiles()), ...guidePages<Context>()]
  return pages
}

/** The description as it is served, and with its schemas inlined for the pages. */
let descriptionMemo: { json: PageAnswer; document: OpenApiDocument } | null = null

/** Built at the first request, so that the start does not wait for it. */
function description() {
  if (descriptionMemo === null) {
    const document = inlineDocument(routes, events, streams)
    const text = JSON.stringify(withReferences(document), null, 2)
    const json = answer(200, 'application/json; charset=utf-8', text)
    descriptionMemo = { json: lasting(json), document }
  }
  return descriptionMemo
}

/**
 * How long the metrics are reused, compressed or not: making them takes milliseconds, and without a proxy strangers may
 * request them.
 */
const metrics_hold_ms = 1_000

/** How long the metrics wait for the database. An operator needs them most while it is silent. */
const readiness_wait_ms = 1_000

function openMetricsAnswer(lookWhetherReady: LookWhetherReady) {
  let latest: { at_ms: number; answer: Promise<PageAnswer> } | null = null

  /** If no probe requests `/readyz`, only this notices a silent database. */
  async function makeAnswer(context: Context): Promise<PageAnswer> {
    const { metrics, world } = context
    const timer = new AbortController()
    const late = world.clock.sleep(readiness_wait_ms, timer.signal).then(
      () => metrics.readiness(false),
      () => {},
    )
    await Promise.race([lookWhetherReady(context), late])
    timer.abort()
    const text = await metrics.text()
    return { ...answer(200, metrics.content_type, text), encoded: gzippedOnce(Buffer.from(text)) }
  }

  return (context: Context): Promise<PageAnswer> => {
    const now_ms = context.world.clock.now().getTime()
    const age_ms = latest === null ? Number.NaN : now_ms - latest.at_ms
    // A clock that was set back also invalidates it.
    if (latest !== null && age_ms >= 0 && age_ms < metrics_hold_ms) return latest.answer
    latest = { at_ms: now_ms, answer: makeAnswer(context) }
    return latest.answer
  }
}

type LookWhetherReady = (context: Context) => Promise<{ is_ready: boolean; fault: string | null }>

function openReadiness(closing: { now: boolean }, faultOf: () => string | null) {
  const databaseAnswers = openDatabaseCheck()
  const look: LookWhetherReady = async (context) => {
    const answers = !closing.now && (await databaseAnswers(context))
    const fault = answers ? (faultOf() ?? cellFault(context.sql)) : null
    const is_ready = answers && fault === null
    context.metrics.readiness(is_ready)
    return { is_ready, fault }
  }
  return look
}

function openDatabaseCheck() {
  const ask = openCheck()
  return ({ sql }: Context): Promise<boolean> => ask(sql)
}

/** The nodes of a spread database that do not answer in time. */
function openNodeChecks() {
  const checks = new Map<string, ReturnType<typeof openCheck>>()
  const answers = (node: string, sql: Sql) => {
    const check = checks.get(node) ?? openCheck()
    checks.set(node, check)
    return check(sql)
  }
  return async ({ sql, world }: Context): Promise<string[]> => {
    const nodes = new Map<string, Sql>()
    for (const cell of cellsOf(sql)) if (cell.node !== null) nodes.set(cell.node, cell.sql)
    if (nodes.size === 0) return []
    const answeredNodes = new Set<string>()
    const questions = [...nodes].map(async ([node, own]) => {
      if (await answers(node, own)) answeredNodes.add(node)
    })
    const timer = new AbortController()
    const late = world.clock.sleep(readiness_wait_ms, timer.signal).catch(() => {})
    await Promise.race([Promise.all(questions), late])
    timer.abort()
    return [...nodes.keys()].filter((node) => !answeredNodes.has(node)).sort()
  }
}

/** However many requests come, each server gets one check at a time. */
function openCheck() {
  let question: Promise<boolean> | null = null
  return (sql: Sql): Promise<boolean> => {
    question ??= sql`select 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        question = null
      })
    return question
  }
}

function get(path: string, handle: Page<Context>['handle']): Page<Context> {
  return { method: 'GET', path, handle }
}

function health(path: string, handle: Page<Context>['handle']): Page<Context> {
  return { ...get(path, handle), counted_apart: 'health' }
}

function plain(status: number, text: string): PageAnswer {
  return answer(status, 'text/plain; charset=utf-8', text)
}

function answer(status: number, content_type: string, text: string): PageAnswer {
  return { status, body: text, headers: { 'content-type': content_type } }
}
