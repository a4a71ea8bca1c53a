// Why a receiver's answer was none that counts, in words.

import { say, sayCode } from '../words.ts'

/** The answer of an attempt: its status, where it wanted to lead to, or why there was none. */
export function answerWords({
  response_status_code: status,
  failure,
}: {
  response_status_code: number | null
  failure: string | null
}): string {
  if (status !== null && failure === null) return String(status)
  return failureWords(failure, status)
}

/** What went wrong, as an attempt's row has it: a status, a redirect with its address, or a code. */
export function failureWords(failure: string | null, status: number | null = null): string {
  const [, url] = /^redirect (.+)$/.exec(failure ?? '') ?? []
  if (url !== undefined) return say('redirect_not_followed', { status: String(status ?? 3), url })
  if (status !== null) return String(status)
  return failure === null ? say('no_answer') : sayCode('sending_failed', failure)
}
