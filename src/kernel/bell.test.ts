import { expect, test } from 'vitest'
import { openBells } from './bell.ts'

test('a bell is heard by those who listen to it, and by nobody else', () => {
  const bells = openBells()
  const rings: string[] = []
  const hear = (name: string, who: string) => bells.hear(name, () => rings.push(who))
  const endFirst = hear('a', 'first')
  const endSecond = hear('a', 'second')
  hear('b', 'other')
  bells.ring('a')
  expect(rings.splice(0)).toEqual(['first', 'second'])
  endFirst()
  bells.ring('a')
  bells.ring('c')
  expect(rings.splice(0)).toEqual(['second'])
  endSecond()
  hear('a', 'third')
  // If the function is called twice, it removes no other listener.
  endSecond()
  bells.ring('a')
  bells.ring('b')
  expect(rings).toEqual(['third', 'other'])
})
