// Waits for a time.

export function sleep(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms))
}
