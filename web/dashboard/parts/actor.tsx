// Whoever did something: a person by name, where the service gave it; a key by its id; others by what they are.

import { sayCode } from '../words.ts'
import { IdLink } from './id.tsx'

/** `actor` as the journal has it: `key key_…`, `user usr_…`, `shopper`. `people` are names by id. */
export function Actor({ actor, people }: { actor: string; people: Record<string, string> }) {
  const [kind = '', id = ''] = actor.split(' ')
  if (people[id]) return <IdLink id={id} text={people[id]} />
  return (
    <>
      {sayCode('actor', kind)} {id && <IdLink id={id} />}
    </>
  )
}
