// A time limit for requests.

/** AbortSignal.timeout() is younger than iOS 15. */
export function abortAfter(wait_ms: number): AbortSignal {
  const life = new AbortController()
  setTimeout(() => life.abort(), wait_ms)
  return life.signal
}
