// What clients of a storm asked and what they were answered, in memory for the checker and in a file for people.

import { closeSync, openSync, writeSync } from 'node:fs'
import type { Json } from '../../tests/support/client.ts'

export type DiaryRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: unknown
}

/** `status` is null where nothing came back: the request may or may not have been done. */
export type DiaryAnswer = { status: number | null; text: string; body: Json; replayed: boolean }

/** A request and what came of it, for the check of histories. */
export type DiaryCall = {
  /** Who asked: nobody asks for two things at once under one name, but for a double click. */
  client: string
  asked: DiaryRequest
  said: DiaryAnswer
  /** Monotonic milliseconds. */
  begin_ms: number
  end_ms: number
}

/** What is asked under one key, whether or not it was ever answered. */
export type DiaryPromise = {
  key: string
  merchant_id: string
  asked: DiaryRequest
  kind: 'native' | 'browser' | 'compatible' | 'decision' | 'refund'
  /** The bytes of its first good answer; null without any. */
  text: string | null
  /** A refusal that says that nothing was done and nothing will be. */
  refusal: string | null
}

export type Diary = {
  keep(kept: DiaryCall): void
  /** All that was ever asked, in the order of its answers. */
  calls: DiaryCall[]
  /** The longest that somebody waited for an answer, since it was last set to 0. */
  slowest_ms: number
  promise(promised: Omit<DiaryPromise, 'text' | 'refusal'>): DiaryPromise
  /** Holds an answer against the earlier ones under its key. */
  keepAnswer(promised: DiaryPromise, said: DiaryAnswer): void
  promises: DiaryPromise[]
  /** Sessions by id, with the key that made them. */
  sessions: Map<string, DiaryPromise>
  /** Final results of confirm by attempt. */
  results: Map<string, { status: string; payment_id: string; text: string }>
  /** Statuses that payments were read with, newest last. */
  statuses: Map<string, string[]>
  faults: string[]
  counts: { acked: number; refused: number; unavailable: number; unknown: number }
  /** By status and code. */
  refusals: Map<string, number>
  close(): void
}

export function openDiary(file: string): Diary {
  const descriptor = openSync(file, 'a')
  const counts = { acked: 0, refused: 0, unavailable: 0, unknown: 0 }
  const refusals = new Map<string, number>()
  const faults: string[] = []
  const promises: DiaryPromise[] = []

  function count({ status, body, text }: DiaryAnswer, asked: DiaryRequest): void {
    if (status === null) counts.unknown += 1
    else if (status < 300) counts.acked += 1
    else if (status === 503) counts.unavailable += 1
    else counts.refused += 1
    if (status === null || status < 300) return
    const code = `${status} ${codeOf({ body })}`
    refusals.set(code, (refusals.get(code) ?? 0) + 1)
    // Without a database a service answers 503, and nothing but a fault of its own is a 500.
    if (status >= 500 && !unavailable.has(code)) {
      faults.push(`${asked.method} ${asked.path} was answered ${status} ${text}`)
    }
  }

  const diary: Diary = {
    counts,
    refusals,
    faults,
    promises,
    slowest_ms: 0,
    calls: [],
    sessions: new Map(),
    results: new Map(),
    statuses: new Map(),
    keep(kept) {
      const { client, asked, said } = kept
      diary.calls.push(kept)
      diary.slowest_ms = Math.max(diary.slowest_ms, kept.end_ms - kept.begin_ms)
      count(said, asked)
      const { method, path, body } = asked
      const { status, text } = said
      const [begin_ms, end_ms] = [Math.round(kept.begin_ms), Math.round(kept.end_ms)]
      const line = { begin_ms, end_ms, client, method, path, body, status, text }
      writeSync(descriptor, `${JSON.stringify(line)}\n`)
    },
    promise(promised) {
      const kept = { ...promised, text: null, refusal: null }
      promises.push(kept)
      return kept
    },
    keepAnswer(promised, { status, text }) {
      if (status === null || status >= 300) return
      if (promised.text === null) promised.text = text
      else if (promised.text !== text) {
        faults.push(`${promised.key} was answered ${promised.text}, and then ${text}`)
      }
    },
    close: () => closeSync(descriptor),
  }
  return diary
}

/** What a refusal is called, in whichever shape it comes; undefined for another answer. */
export function codeOf({ body }: Pick<DiaryAnswer, 'body'>): string {
  return body?.error?.ripper_code ?? body?.error ?? body?.code
}

const unavailable = new Set([
  '503 store_unavailable',
  '503 idempotency_store_unavailable',
  '503 three_ds_provider_unavailable',
])
