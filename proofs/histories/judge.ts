// Judges many histories, of sessions and of keys, each by itself, and counts what was judged.

import { type KeyCall, keyModel } from './key.ts'
import { judge, type Model, type TimedCall, type Verdict } from './search.ts'
import { type Call, type Rules, sessionModel } from './session.ts'

export type Histories = {
  sessions: { session_id: string; calls: Call[]; rules: Rules }[]
  keys: { key: string; calls: KeyCall[] }[]
}

export type Judgement = {
  sessions: number
  keys: number
  /** Answers in all of them. */
  answers: number
  /** Histories of sessions in which calls of several clients met. */
  contended: number
  faults: string[]
  /** What was too large to be judged, which is no better than a fault. */
  not_judged: string[]
}

/** `most` is how many steps one history may cost. */
export function judgeHistories({ sessions, keys }: Histories, most?: number): Judgement {
  const judged: Judgement = {
    sessions: sessions.length,
    keys: keys.length,
    answers: 0,
    contended: 0,
    faults: [],
    not_judged: [],
  }
  const take = <State, Each extends TimedCall>(name: string, model: Model<State, Each>, calls: Each[]) => {
    judged.answers += calls.filter(({ end_ms }) => end_ms !== null).length
    const found: Verdict = judge(model, calls, most)
    if (found.verdict === 'wrong') judged.faults.push(`${name} has no order: ${found.words}`)
    if (found.verdict === 'not_judged') judged.not_judged.push(`${name} was not judged: ${found.words}`)
  }
  for (const { session_id, calls, rules } of sessions) {
    if (isContended(calls)) judged.contended += 1
    take(`the history of ${session_id}`, sessionModel(rules), calls)
  }
  for (const { key, calls } of keys) take(`the history of the key ${key}`, keyModel, calls)
  return judged
}

/** Two calls of different clients were under way at once. */
function isContended(calls: Call[]): boolean {
  const inOrder = calls.toSorted((one, other) => one.begin_ms - other.begin_ms)
  return inOrder.some((call, at) => {
    const before = inOrder.slice(0, at)
    return before.some(({ client, end_ms }) => client !== call.client && (end_ms ?? Infinity) > call.begin_ms)
  })
}
