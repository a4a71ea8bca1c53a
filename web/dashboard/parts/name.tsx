// A name that may be written in the other direction than the words around it: of a person, a merchant, a browser.

/** `id` shows when somebody points at the name. */
export function Name({ text, id }: { text: string; id?: string }) {
  return <bdi title={id}>{text}</bdi>
}
