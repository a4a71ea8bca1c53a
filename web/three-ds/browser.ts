// What the card's bank learns about the shopper's browser. The service shortens each value to what the message allows.

export function browserFacts() {
  const { colorDepth, height, width } = screen
  return {
    // Extensions and private windows leave some out. None of them may cost the shopper the payment.
    language: navigator.language || 'en',
    color_depth: +colorDepth || 24,
    screen_height: +height || 1,
    screen_width: +width || 1,
    time_zone_offset: +new Date().getTimezoneOffset() || 0,
    javascript_enabled: true,
  }
}

/** The bank's page fills a small window. In a larger one it is 500 x 600, with its heading above it. */
export function windowSize(): '03' | '05' {
  return innerWidth < 600 || innerHeight < 640 ? '05' : '03'
}
