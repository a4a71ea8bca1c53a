// The time zone of the person's clock.

export const zone = usableZone()

/** Where a browser does not know its own zone, it says one that it cannot use: `Etc/Unknown`. */
function usableZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
