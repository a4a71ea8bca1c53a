// Counts statements, for benchmarks and tests: how many a request costs.

type StatementCount = {
  onStatement: (text: string) => void
  /** The statements since the last reset, `begin` and `commit` among them. */
  texts(): string[]
  reset(): void
}

/** Pass its `onStatement` to openDatabase. A text is sent twice over the wire when a connection sees it first. */
export function countStatements(): StatementCount {
  let texts: string[] = []
  return {
    onStatement: (text) => {
      texts.push(text.trim())
    },
    texts: () => [...texts],
    reset: () => {
      texts = []
    },
  }
}
