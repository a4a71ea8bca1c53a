// A statement's text is spelled once, and known again by a form that no other statement has.

import { expect, test } from 'vitest'
import { noteOrigin, spell } from './spell.ts'
import { Statement } from './statement.ts'

function written(strings: TemplateStringsArray, ...args: unknown[]): Statement {
  noteOrigin(strings, written)
  return new Statement(() => {}, strings, args)
}

const row = (id: unknown) => written`(${id}, 'x')`
const nothing = () => written``

test.each([
  [() => written`select 1`, 'select 1', []],
  [() => written`select ${1}, ${'a'}`, 'select $1, $2', [1, 'a']],
  [() => written`insert ${row(1)} ${2}`, "insert ($1, 'x') $2", [1, 2]],
  [() => written`insert ${2} ${row(1)}`, "insert $1 ($2, 'x')", [2, 1]],
  [() => written`a ${written`b ${row(1)} c ${2}`} d ${3}`, "a b ($1, 'x') c $2 d $3", [1, 2, 3]],
  [() => written`a${nothing()}b${nothing()}c`, 'abc', []],
  [() => written`select ${['a', 'b']}, ${null}`, 'select $1, $2', [['a', 'b'], null]],
])('%# %s', (write, text, values) => {
  for (const _ of [1, 2]) expect(spell(write())).toMatchObject({ text, values })
})

const inner = (part: unknown) => written`<${part}>`
const outer = (one: unknown, two: unknown) => written`[${one} ${two}]`

test.each([
  ['other values', () => outer(1, 2), () => outer(3, 'b'), true],
  ['the same parts', () => outer(inner(1), 2), () => outer(inner(3), 4), true],
  ['another template', () => written`a ${1}`, () => written`a ${1}`, false],
  ['a part in another place', () => outer(inner(1), 2), () => outer(1, inner(2)), false],
  ['a part behind or in a part', () => outer(inner(nothing()), 1), () => outer(inner(1), nothing()), false],
  ['another part', () => outer(inner(1), 2), () => outer(row(1), 2), false],
  ['a time in place of a text', () => outer(1, 'a'), () => outer(1, new Date(0)), false],
  ['a truth value in place of null', () => outer(1, null), () => outer(1, true), false],
  ['bytes in place of a list', () => outer(1, ['a']), () => outer(1, Buffer.from('a')), false],
  ['times in place of texts', () => outer(1, ['a']), () => outer(1, [new Date(0)]), false],
  ['a list of none in place of texts', () => outer(1, ['a']), () => outer(1, []), true],
])('%s: one form is %s', (_, one, other, is_same) => {
  expect(spell(one()).form === spell(other()).form).toBe(is_same)
  expect(spell(one()).form).toBe(spell(one()).form)
})

const text = (words: string, ...args: unknown[]) => new Statement(() => {}, [words], args, true)

test.each([
  [() => text('select 1'), 'select 1', []],
  [() => text('select $1', 7), 'select $1', [7]],
  [() => written`a ${text('b')} c ${1}`, 'a b c $1', [1]],
  [() => written`a ${written`b ${text('c')} ${2}`} ${3}`, 'a b c $1 $2', [2, 3]],
])('%# a text of its own in %s', (write, words, values) => {
  for (const _ of [1, 2]) expect(spell(write())).toMatchObject({ text: words, values })
  expect(spell(write()).form).toBe(spell(write()).form)
})

test('a statement says where it was written', () => {
  expect(spell(written`select 2`).origin).toContain('spell.test.ts')
})
