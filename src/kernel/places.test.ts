import { expect, test } from 'vitest'
import { openPlaces } from './places.ts'

test('what is taken is there until it leaves, and its place is taken again', () => {
  const places = openPlaces<string>()
  const leave = ['one', 'two', 'three'].map(places.take)
  expect([places.taken(), places.count()]).toEqual([['one', 'two', 'three'], 3])
  leave[1]!()
  expect([places.taken(), places.count()]).toEqual([['one', 'three'], 2])
  places.take('four')
  expect([places.taken(), places.count()]).toEqual([['one', 'four', 'three'], 3])
})

test('who leaves twice takes nobody else along', () => {
  const places = openPlaces<string>()
  const leave = places.take('one')
  leave()
  places.take('two')
  leave()
  expect([places.taken(), places.count()]).toEqual([['two'], 1])
})
