// Answers that are sent again and again are compressed once.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Encoded, PageAnswer } from './pages.ts'

/** Above it the best quality of Brotli takes longer than requests should wait. */
const best_quality_bytes_max = 64 * 1024

/** Each encoding is made when it is first asked for, and kept. */
export function encodedOnce(plain: Buffer): Encoded {
  let br: Buffer | undefined
  let gzip: Buffer | undefined
  return {
    plain,
    get br() {
      br ??= brotliCompressSync(plain, {
        params: { [constants.BROTLI_PARAM_QUALITY]: qualityFor(plain) },
      })
      return br
    },
    get gzip() {
      gzip ??= gzipSync(plain, { level: 9 })
      return gzip
    },
  }
}

function qualityFor({ length }: Buffer): number {
  return length > best_quality_bytes_max ? 9 : constants.BROTLI_MAX_QUALITY
}

/** For an answer that stays as it is: whoever hands it out must hand out this very one each time. */
export function lasting(answer: PageAnswer): PageAnswer {
  return { ...answer, encoded: encodedOnce(Buffer.from(answer.body)) }
}
