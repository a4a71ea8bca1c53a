// What all four packages must do: the rows of sdk/vectors.json, against a service that fails as they say.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CallRequest,
  type Driver,
  type DriverAnswer,
  packages_folder,
  type VerifyRequest,
} from './package-driver.ts'
import {
  answers,
  dies,
  diesWithin,
  type FaultServer,
  openFaultServer,
  secret_key,
  staysSilent,
  stopsWithin,
  type Treatment,
} from './sdk-fault-server.ts'

type Answer = { status: number; headers?: Record<string, string>; body: string } | keyof typeof faults
type ErrorFields = Record<string, unknown>

type Vectors = {
  /** What is right; each row says what of it is otherwise. */
  signature: VerifyRequest & { event: object }
  signatures: (Partial<VerifyRequest> & { name: string; code?: string })[]
  errors: { name: string; answer: Answer; error: ErrorFields }[]
  /** `waits` has the least and the most of each, in ms. */
  retries: (Partial<CallRequest> & {
    name: string
    answers: Answer[]
    waits: [number, number][]
    error?: ErrorFields
  })[]
  calls: {
    call: string
    args: unknown[]
    amount?: number
    line: string
    body?: object
    keyed?: true
    empty?: true
    rows?: true
  }[]
  wrong: (Partial<CallRequest> & { name: string })[]
}

export const vectors: Vectors = JSON.parse(readFileSync(join(packages_folder, 'vectors.json'), 'utf8'))

const faults = { dies, dies_within: diesWithin, silence: staysSilent, silence_within: stopsWithin }

function treatmentOf(answer: Answer): Treatment {
  return typeof answer === 'string' ? faults[answer] : answers(answer.status, answer.body, answer.headers)
}

/** Has one of the packages do all of it. */
export function judgeVectors(open: () => Driver): void {
  let server: FaultServer
  let driver: Driver
  beforeAll(async () => {
    server = await openFaultServer()
    driver = open()
  }, 240_000)
  afterAll(async () => {
    driver?.close()
    await server.close()
  })

  const purchase = { amount: 4200, currency: 'GBP' }
  const send = (request: Partial<CallRequest>): Promise<DriverAnswer> => {
    const usual = { call: 'checkout.sessions.create', args: [purchase], retries_max: 2, timeout_ms: 30_000 }
    return driver.ask({ send: { base_url: server.base_url, secret_key, ...usual, ...request } })
  }
  const keysOf = () => server.asked.map(({ headers }) => headers['rip-idempotency-key'])

  test.each(vectors.signatures)('a signature: $name', async ({ name: _, code, ...changed }) => {
    const { event, ...right } = vectors.signature
    const answer = await driver.ask({ verify: { ...right, ...changed } })
    if (code === undefined) expect(answer.value).toMatchObject(event)
    else expect(answer.error).toMatchObject({ kind: 'SignatureError', code })
  })

  test.each(vectors.errors)('an error: $name', async ({ answer, error }) => {
    server.treat(treatmentOf(answer))
    const told = await send({ idempotency_key: 'order-1001', retries_max: 0 })
    const none = { request_id: null, field: null, allowed: null, retry_after_seconds: null }
    expect(told.error).toMatchObject({ ...none, idempotency_key: 'order-1001', ...error })
    expect(server.asked).toHaveLength(1)
  })

  test.each(vectors.retries)('retries: $name', async ({ name: _, answers: all, waits, error, ...request }) => {
    server.treat(...all.map(treatmentOf))
    const told = await send(request)
    if (error === undefined) expect(told.value).toMatchObject({ id: 'cs_1' })
    else expect(told.error).toMatchObject(error)
    expect(server.asked).toHaveLength(all.length > waits.length ? waits.length + 1 : all.length)
    const [key] = keysOf()
    expect(key).toMatch(request.idempotency_key ?? /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(new Set(keysOf())).toEqual(new Set([key]))
    for (const { body } of server.asked) expect(JSON.parse(body)).toEqual(purchase)
    if (told.error) expect(told.error.idempotency_key).toBe(key)
    expect(told.waits).toHaveLength(waits.length)
    for (const [index, [least, most]] of waits.entries()) {
      expect(told.waits![index]).toBeGreaterThanOrEqual(least)
      expect(told.waits![index]).toBeLessThanOrEqual(most)
    }
  })

  test('two calls have two keys', async () => {
    server.treat(answers(201, { id: 'cs_1' }))
    await send({})
    await send({})
    expect(new Set(keysOf()).size).toBe(2)
  })

  test.each(vectors.calls)('calls: $call $args', async ({ call, args, amount, line, body, keyed, empty, rows }) => {
    server.treat(dies, empty ? answers(204, '') : answers(200, { data: [], has_more: false, next_cursor: null }))
    const told = await send({ call, args, amount, rows })
    expect(told.error).toBeUndefined()
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line, line])
    const [first] = server.asked
    expect(first!.body === '' ? undefined : JSON.parse(first!.body)).toEqual(body)
    expect(first!.headers['x-service-api-key']).toBe(secret_key)
    const [key, again] = keysOf()
    expect([key !== undefined, again]).toEqual([keyed === true, key])
  })

  test('a list goes over all pages, also such as have no rows', async () => {
    const page = (ids: string[], next_cursor: string | null) =>
      answers(200, { data: ids.map((id) => ({ id })), has_more: next_cursor !== null, next_cursor })
    server.treat(page(['pay_3', 'pay_2'], 'c1'), page([], 'c2'), page(['pay_1'], null))
    const { value } = await send({ call: 'payments.list', args: [{ status: 'held' }], rows: true })
    expect((value as { id: string }[]).map(({ id }) => id)).toEqual(['pay_3', 'pay_2', 'pay_1'])
    const after = ['', '&after=c1', '&after=c2'].map((cursor) => `/v1/payments?status=held${cursor}`)
    expect(server.asked.map(({ path }) => [...new URLSearchParams(path.split('?')[1])].sort())).toEqual(
      after.map((path) => [...new URLSearchParams(path.split('?')[1])].sort()),
    )
  })

  test.each(vectors.wrong)('before anything is sent: $name', async ({ name: _, ...request }) => {
    server.treat(answers(200))
    expect((await send(request)).error).toMatchObject({ kind: 'UsageError', code: 'wrong_usage' })
    expect(server.asked).toEqual([])
  })

  describe('the secret key is in no error', () => {
    test.each<[string, Treatment]>([
      ['of a dead connection', dies],
      ['of silence', staysSilent],
      ['of a refusal', answers(401, { error: 'unauthorized', message: 'no' })],
      ['of garbage', answers(200, 'x')],
    ])('%s', async (_, fault) => {
      server.treat(fault)
      const { error } = await send({ timeout_ms: 300, retries_max: 0 })
      expect(error!.text).toMatch(/./)
      expect(JSON.stringify(error)).not.toContain(secret_key)
    })
  })
}
