// Trust in a clock can be given and withdrawn: jobs and deliveries wait for it, and stop when it is withdrawn.

export type ClockTrust = {
  /** Also false for a clock that was set since its last comparison. */
  isRight(): boolean
  /**
   * Waits until the clock is right or `stopping` aborts. The returned signal aborts as soon as the clock is no longer known to
   * be right.
   */
  untilRight(stopping: AbortSignal): Promise<AbortSignal>
}

export type Trust = {
  is_given: boolean
  give(): void
  withdraw(): void
  /** Also returns if the signal aborts. */
  untilGiven(stopping: AbortSignal): Promise<AbortSignal>
}

export function openTrust(): Trust {
  const waiting = new Set<() => void>()
  let period = new AbortController()
  period.abort()
  const trust: Trust = {
    is_given: false,
    give() {
      if (trust.is_given) return
      trust.is_given = true
      period = new AbortController()
      for (const goOn of waiting) goOn()
    },
    withdraw() {
      trust.is_given = false
      period.abort()
    },
    async untilGiven(stopping) {
      while (!trust.is_given && !stopping.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const goOn = () => resolve()
        waiting.add(goOn)
        stopping.addEventListener('abort', goOn, { once: true })
        await promise
        waiting.delete(goOn)
        stopping.removeEventListener('abort', goOn)
      }
      return period.signal
    },
  }
  return trust
}
