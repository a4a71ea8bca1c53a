// What the card's bank learns about the shopper's browser. The service shortens each value to what the message allows.

export function browserFacts() {
  const { colorDepth, height, width } = screen
  return {
    language: navigator.language,
    color_depth: colorDepth,
    screen_height: height,
    screen_width: width,
    time_zone_offset: new Date().getTimezoneOffset(),
    javascript_enabled: true,
  }
}

/** The bank's page fills a small window. In a larger one it is 500 x 600, with its heading above it. */
export function windowSize(): '03' | '05' {
  return innerWidth < 600 || innerHeight < 640 ? '05' : '03'
}
