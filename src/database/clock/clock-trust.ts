// Trust in a clock, which is given and withdrawn: jobs and deliveries wait for it, and end when it does.

export type ClockTrust = {
  /** False, too, for a clock that was set since it was compared: until it is compared again. */
  isRight(): boolean
  /**
   * Waits until the clock is right, or `stopping` aborts. The signal that it gives is aborted as soon as the clock is no
   * longer known to be right.
   */
  untilRight(stopping: AbortSignal): Promise<AbortSignal>
}

export type Trust = {
  is_given: boolean
  give(): void
  withdraw(): void
  /** Ends, too, where the signal aborts. */
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
