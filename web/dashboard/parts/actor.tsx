// Whoever did something: a person by name, where the service gave it; a key by its id; others by what they are.

import { sayCode } from '../words.ts'
import { IdLink } from './id.tsx'

/** `actor` as the journal has it: `key key_…`, `user usr_…`, `shopper`. `people` are names by id. */
export function Actor({ actor, people }: { actor: string; people: Record<string, string> }) {
  const id = idOfActor(actor)
  if (people[id]) return <IdLink id={id} text={people[id]} />
  return (
    <>
      {sayCode('actor', actor.split(' ')[0]!)} {id && <IdLink id={id} />}
    </>
  )
}

/** Empty where the actor has none. */
export function idOfActor(actor: string): string {
  return actor.split(' ')[1] ?? ''
}
