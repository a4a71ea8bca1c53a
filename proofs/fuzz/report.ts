// What a campaign found, for people: failures with the bytes to send again, and what was and was not reached.

import type { Failure, Report } from './campaign.ts'

/** Prints a report and returns the exit status. A long campaign has also to reach every route's success. */
export function print(report: Report, { seed, is_long }: { seed: number; is_long: boolean }): number {
  const { coverage, exposed, failures, sent, took_ms } = report
  const kinds = Map.groupBy(failures, ({ faults }) => faults.join().replace(/[0-9a-f]*\d[0-9a-f]*/g, '#'))
  for (const [first, ...others] of kinds.values()) {
    console.log(describe(first!, seed))
    if (others.length > 0) console.log(`  also ${others.map(({ index }) => index).join(', ')}`)
    console.log('')
  }
  for (const line of coverage.lines()) console.log(line)
  const { seen, possible } = coverage.counts()
  const statuses = [...coverage.statuses()].map(([status, times]) => `${status}: ${times}`)
  console.log(`answers ${statuses.join(', ')}`)
  console.log(`refusals seen: ${seen} of ${possible}`)
  if (exposed.length > 0) console.log(`card numbers in clear text: ${exposed.join(', ')}`)
  const unreached = is_long ? coverage.unreached() : []
  if (unreached.length > 0) console.log(`never done: ${unreached.join(', ')}`)
  const rate = Math.round((sent / took_ms) * 1000)
  console.log(`seed ${seed}: ${sent} requests, ${rate} a second, ${failures.length} failures`)
  return failures.length + exposed.length + unreached.length > 0 ? 1 : 0
}

export function describe(failure: Failure, seed: number): string {
  const { index, operation, faults, bytes, shrunk, answer } = failure
  return [
    `${operation}, request ${index} of seed ${seed} (--seed ${seed} --only ${index}), shrunk ${shrunk} times:`,
    ...faults.map((fault) => `  ${fault}`),
    again(bytes),
    answer.replace(/^/gm, '  | '),
  ].join('\n')
}

/** A command that sends the same bytes to a service at hand. */
function again(bytes: Buffer): string {
  const shown = bytes.subarray(0, 2_000)
  const escaped = [...shown].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  const cut = bytes.length > shown.length ? ` # and ${bytes.length - shown.length} more bytes` : ''
  return `printf '%b' '${escaped.join('')}' | nc 127.0.0.1 8080${cut}`
}
