// Names that nobody guesses.

/** 128 random bits; unlike randomUUID also on pages without TLS, where things are tried out. */
export function random(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
