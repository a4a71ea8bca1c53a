// What the card's bank learns about the shopper's browser. The service shortens each value to what the message allows.

export function browserFacts() {
  const { colorDepth, height, width } = screen
  return {
    language: navigator.language || 'en',
    color_depth: within(0, 1e6, colorDepth, 24),
    screen_height: within(0, 1e6, height, 1),
    screen_width: within(0, 1e6, width, 1),
    time_zone_offset: within(-1e3, 1e3, new Date().getTimezoneOffset(), 0),
    javascript_enabled: true,
  }
}

/** Extensions and private windows make up values. None of them may cost the shopper the payment. */
function within(least: number, most: number, value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= least && value <= most ? value : otherwise
}

/** The bank's page fills a small window. In a larger one it is 500 x 600, with its heading above it. */
export function windowSize(): '03' | '05' {
  return innerWidth < 600 || innerHeight < 640 ? '05' : '03'
}
