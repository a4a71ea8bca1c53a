// Keeps values over a reload of this tab. If the page forbids storage, nothing is kept.

export function readItem(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/** An empty text deletes the value. */
export function saveItem(key: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  } catch {}
}
