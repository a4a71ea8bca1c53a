// What the card's bank learns about the shopper's browser. The service shortens each value to what the message allows.

export function browserFacts() {
  const { colorDepth, height, width } = screen
  return {
    language: navigator.language || 'en',
    color_depth: within(colorDepth, { least: 0, most: 1_000_000, otherwise: 24 }),
    screen_height: within(height, pixels),
    screen_width: within(width, pixels),
    time_zone_offset: within(new Date().getTimezoneOffset(), {
      least: -1_000,
      most: 1_000,
      otherwise: 0,
    }),
    javascript_enabled: true,
  }
}

const pixels = { least: 0, most: 1_000_000, otherwise: 1 }

/** Extensions and private windows make up values. None of them may cost the shopper the payment. */
function within(
  value: unknown,
  { least, most, otherwise }: Record<'least' | 'most' | 'otherwise', number>,
): number {
  const is_usable = typeof value === 'number' && value >= least && value <= most
  return is_usable ? value : otherwise
}

/** The bank's page fills a small window. In a larger one it is 500 x 600, with its heading above it. */
export function windowSize(): '03' | '05' {
  return innerWidth < 600 || innerHeight < 640 ? '05' : '03'
}
