// The beginning of what a receiver answered.

export function AnswerBody({ text }: { text: string | null }) {
  if (!text) return null
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  return <pre tabIndex={0}>{text}</pre>
}
