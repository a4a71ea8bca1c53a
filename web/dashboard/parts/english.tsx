// A sentence of the service, which speaks English alone: set apart, and read out as English.

export function English({ text }: { text: string }) {
  return <bdi lang="en">{text}</bdi>
}
