// Whether the library read what it had to.

import { differences } from './differences.ts'
import type { Read, Vendor } from './vendors.ts'

/** One line for each step. A difference that is listed but not seen any more is a fault, too: the list is to be corrected. */
export function judge(
  { name, expected, wrong }: Pick<Vendor, 'name' | 'expected' | 'wrong'>,
  read: Record<string, Read>,
): { words: string; is_fault: boolean }[] {
  const steps = Object.entries(expected).map(([step, wanted]) => {
    const got = read[step] ?? { status: 'nothing', id: null, code: null }
    const seen = wordsOf({
      status: got.status,
      ...(wanted.code !== undefined && { code: got.code }),
    })
    const listed = differences.find((each) => each.vendor === name && each.step === step)
    if (seen === wordsOf(wanted)) {
      return {
        words: `${step}: ${seen}${listed ? ', which differences.ts denies' : ''}`,
        is_fault: !!listed,
      }
    }
    if (listed?.reads === seen) return { words: `${step}: ${seen}. ${listed.why}`, is_fault: false }
    return { words: `${step}: ${seen}, expected ${wordsOf(wanted)}`, is_fault: true }
  })
  return [...steps, ...wrong.map((words) => ({ words: `not taken: ${words}`, is_fault: true }))]
}

function wordsOf({ status, code }: Partial<Read>): string {
  return code === undefined ? status! : `${status} ${code}`
}
