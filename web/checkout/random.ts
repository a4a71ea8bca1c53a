// Makes names that nobody can guess.

/** 128 random bits. Unlike randomUUID it works on pages without TLS, too, where developers try things out. */
export function random(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
