// Compresses answers that are sent repeatedly only once.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { EncodedContent, PageAnswer } from './pages.ts'

/** Above this size Brotli's best quality takes longer than requests should wait. */
const best_quality_bytes_max = 64 * 1024

/** For bytes that are sent only for a moment: gzip at a fast level is made when it is first needed, and kept. */
export function gzippedOnce(plain: Buffer): EncodedContent {
  let gzip: Buffer | undefined
  return {
    plain,
    get gzip() {
      gzip ??= gzipSync(plain, { level: 5 })
      return gzip
    },
  }
}

/** Each encoding is made when it is first needed, and kept. */
export function encodedOnce(plain: Buffer): Required<EncodedContent> {
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

/** For an answer that does not change: the caller must pass the same object each time. */
export function lasting(answer: PageAnswer): PageAnswer {
  return { ...answer, encoded: encodedOnce(Buffer.from(answer.body)) }
}
