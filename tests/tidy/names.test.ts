// How names are written: data in snake_case, what has members or is called in camelCase. The compiler says which is which.

import { relative, resolve } from 'node:path'
import type { Identifier, Node, SourceFile } from 'typescript/unstable/ast'
import {
  isArrayBindingPattern,
  isBindingElement,
  isFunctionDeclaration,
  isIdentifier,
  isParameterDeclaration,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const api = new API({ cwd: root })
afterAll(() => api.close())

const data_flags = TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike | TypeFlags.BigIntLike
const nothing_flags = TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void
/** What may be anything. */
const open_flags = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never | TypeFlags.TypeParameter
const data_classes = ['Date', 'Buffer', 'Uint8Array']

type Kind = 'data' | 'nothing' | 'either' | 'structure'

/** Lists may be named either way, as what is unknown may. */
function kindOf(checker: Checker, type: Type): Kind {
  if (type.flags & data_flags) return 'data'
  if (type.flags & nothing_flags) return 'nothing'
  if (type.flags & open_flags) return 'either'
  if (type.isUnionType()) {
    const kinds = new Set(type.getTypes().map((part) => kindOf(checker, part)))
    kinds.delete('nothing')
    return kinds.size === 1 ? [...kinds][0]! : kinds.size === 0 ? 'nothing' : 'either'
  }
  // A branded id is a text with a mark.
  if (type.isIntersectionType()) {
    return type.getTypes().some((part) => part.flags & data_flags) ? 'data' : 'structure'
  }
  if (checker.isArrayType(type) || checker.isTupleType(type)) return 'either'
  return data_classes.includes(type.getSymbol()?.name ?? '') ? 'data' : 'structure'
}

/** Names that somebody chose: those of variables, parameters and functions, not of destructured members, which keep theirs. */
function chosenNames(file: SourceFile): Identifier[] {
  const names: Identifier[] = []
  const visit = (node: Node): void => {
    const isChosen =
      isVariableDeclaration(node) ||
      isFunctionDeclaration(node) ||
      isParameterDeclaration(node) ||
      (isBindingElement(node) && (node.propertyName || isArrayBindingPattern(node.parent)))
    if (isChosen && node.name && isIdentifier(node.name)) names.push(node.name)
    node.forEachChild(visit)
  }
  file.forEachChild(visit)
  return names
}

const isSnake = (name: string) => /[a-z0-9]_[a-z0-9]/i.test(name)
const isCamel = (name: string) => /[a-z0-9][A-Z]/.test(name)

test.each([
  ['tsconfig.json', /^(src|sdk)\//],
  ['web/tsconfig.json', /^web\//],
  ['web/dashboard/tsconfig.json', /^web\/dashboard\//],
])('%s: data is snake_case, all else camelCase', { timeout: 120_000 }, (config, folders) => {
  const path = resolve(root, config)
  const snapshot = api.updateSnapshot({ openProjects: [path] })
  const { program, checker } = snapshot.getProject(path)!
  const wrong: string[] = []
  for (const file_name of program.getSourceFileNames()) {
    const name = relative(root, file_name)
    if (!folders.test(name) || /\.(d|test)\.tsx?$/.test(name)) continue
    const names = chosenNames(program.getSourceFile(file_name)!).filter(({ text }) => isSnake(text) || isCamel(text))
    const types = checker.getTypeAtLocation(names)
    for (const [index, { text }] of names.entries()) {
      const kind = types[index] ? kindOf(checker, types[index]) : 'either'
      if (kind === 'data' && isCamel(text)) wrong.push(`${name}: ${text} is data`)
      if (kind === 'structure' && isSnake(text)) wrong.push(`${name}: ${text} is no data`)
    }
  }
  expect(wrong).toEqual([])
})
