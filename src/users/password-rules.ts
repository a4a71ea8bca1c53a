// Which passwords are accepted: long enough, with letters and digits, and not one that attackers try first.

import type { Fault } from '../kernel/field-rules.ts'

/** Words and keyboard walks behind common passwords, without digits and with look-alikes as letters. */
const commonStems = new Set(
  (
    'password passwort passphrase motdepasse contrasena senha parola qwerty qwertyuiop qwertz azerty asdfgh asdfghjkl ' +
    'zxcvbn zxcvbnm qazwsx qazwsxedc qweasd qweasdzxc letmein welcome admin administrator root login master changeme ' +
    'secret iloveyou sunshine princess dragon monkey football baseball superman batman shadow michael jordan trustno ' +
    'whatever freedom starwars pokemon computer internet google facebook amazon apple samsung default test testing guest ' +
    'user hello hunter ranger abc abcd abcde abcdef abcdefg abcdefgh ripper checkout rippercheckout dashboard payment payments ' +
    'summer winter spring autumn january february march april june july august september october november december ' +
    'monday tuesday wednesday thursday friday saturday sunday q w e r t y qw we er qwe asd zxc aa aaa a x xx xxx'
  ).split(' '),
)

/** Walks over a keyboard's rows and columns in which letters and digits alternate. */
const walks = [
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'a1b2c3d4e5f6g7h8i9',
  '1a2b3c4d5e6f7g8h9i',
]

const shortest = 12
const longest = 128

/** `words` continue a sentence that begins with the name of the password. */
export type PasswordFault = { words: string; fault: Fault; bound?: number }

/** What is wrong with a password, or null. `own_words` are names that it must not consist of. */
export function faultOfPassword(password: string, own_words: string[]): PasswordFault | null {
  const length = [...password].length
  if (length < shortest) {
    const words = `must have ${shortest} characters or more`
    return { words, fault: 'too_short', bound: shortest }
  }
  if (length > longest) {
    return { words: `must have ${longest} characters at most`, fault: 'too_long', bound: longest }
  }
  if (!/\p{L}/u.test(password) || !/\p{Nd}/u.test(password)) {
    return { words: 'must have letters and digits', fault: 'letters_and_digits' }
  }
  if (isCommon(password)) return { words: 'is one of those that are tried first', fault: 'common' }
  const plain = stemOf(password)
  const is_own = own_words.flatMap(wordsIn).some((word) => word.length >= 4 && restOf(plain, word) < 6)
  return is_own ? { words: 'must not be made of your name or address', fault: 'own_name' } : null
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  if (walks.some((walk) => isWalk(lower, walk))) return true
  if (new Set(lower).size < 5) return true
  const letters = lower.replace(/[^\p{L}]/gu, '')
  return [letters, stemOf(lower)].some((stem) => commonStems.has(unrepeated(stem)))
}

/** Whether it is a part of the walk, or of the walk repeated. */
function isWalk(text: string, walk: string): boolean {
  return walk.repeat(3).includes(text) || isRepetition(text, walk)
}

function isRepetition(text: string, walk: string): boolean {
  for (let length = 4; length <= text.length / 2; length++) {
    const part = text.slice(0, length)
    if (walk.startsWith(part) && part.repeat(Math.ceil(text.length / length)).startsWith(text)) return true
  }
  return false
}

/** The letters, with look-alikes read as letters: `p4ssw0rd` is `password`. */
function stemOf(text: string): string {
  const alike: Record<string, string> = {
    '0': 'o',
    '3': 'e',
    '4': 'a',
    '@': 'a',
    $: 's',
    '5': 's',
    '!': 'i',
  }
  const core = text.toLowerCase().replace(/^[\d\W_]+|[\d\W_]+$/g, '')
  return core.replace(/[034@$5!]/g, (character) => alike[character]!).replace(/[^\p{L}]/gu, '')
}

/** `passwordpassword` is `password`. */
function unrepeated(stem: string): string {
  for (let length = 1; length <= stem.length / 2; length++) {
    const part = stem.slice(0, length)
    if (part.repeat(stem.length / length) === stem) return part
  }
  return stem
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}]+/u)
}

/** How many letters remain without a word; a large number if the word is not in it. */
function restOf(plain: string, word: string): number {
  return plain.includes(word) ? plain.replaceAll(word, '').length : Number.POSITIVE_INFINITY
}
