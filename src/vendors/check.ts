// What the check of a connection finds.

/** `notes` lists optional permissions that are missing, and the consequences. A reason is one line, without secrets. */
export type CheckAnswer = { result: 'works'; notes: string[] } | { result: 'fails'; reason: string }
