// What the card's bank learns about the shopper's browser. The service shortens each value to what the message allows.

export function browserFacts() {
  const { colorDepth, height, width } = screen
  return {
    // Extensions and private windows leave some out. None of them may cost the shopper the payment.
    language: `${navigator.language || 'en'}`.slice(0, 35),
    color_depth: within(1, colorDepth, 99) ?? 24,
    screen_height: within(0, height, 999_999) ?? 1,
    screen_width: within(0, width, 999_999) ?? 1,
    time_zone_offset: within(-999, new Date().getTimezoneOffset(), 999) ?? 0,
    javascript_enabled: true,
  }
}

/** Null for what no browser in its right mind says. */
function within(least: number, value: unknown, most: number): number | null {
  const number = Number(value)
  return number >= least && number <= most ? number : null
}

/** The bank's page fills a small window. In a larger one it is 500 x 600, with its heading above it. */
export function windowSize(): '03' | '05' {
  return innerWidth < 600 || innerHeight < 640 ? '05' : '03'
}
