// Whoever did something: a person by name, where the service gave it; a key by its id; others by what they are.

import { sayCode } from '../words.ts'
import { Name } from './name.tsx'

/** `actor` as the journal has it: `key key_…`, `user usr_…`, `shopper`. `people` are names by id. */
export function Actor({ actor, people }: { actor: string; people: Record<string, string> }) {
  const [kind = '', id = ''] = actor.split(' ')
  const name = people[id]
  if (name) return <Name text={name} id={id} />
  return (
    <>
      {sayCode('actor', kind)} {id && <bdi className="breakable">{id}</bdi>}
    </>
  )
}
