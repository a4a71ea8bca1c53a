// The kinds of settings: how a variable's text is read, and the message if it is wrong.

import { isIP } from 'node:net'

/** One setting: its variable, what it means, and how its text is read. */
export type Setting<T> = {
  name: string
  meaning: string
  /** The default, in words. */
  fallback: string
  /** `ripper config` shows only whether it is set. */
  secret?: true
  /** `text` is null if the variable is not set. Throws ConfigError. */
  read(text: string | null): T
}

/** What is wrong with a variable; the message begins with its name. */
export class ConfigError extends Error {
  readonly variable: string
  /** For a missing variable: the variable that requires it. */
  readonly beside: string | null

  constructor(variable: string, words: string, beside: string | null = null) {
    super(`${variable} ${words}`)
    this.variable = variable
    this.beside = beside
  }
}

type About = Pick<Setting<unknown>, 'name' | 'meaning'> & { secret?: true }

/** A setting whose text `read` reads; null if it is not set. */
export function optional<T>(
  about: About & { fallback: string },
  read: (text: string, name: string) => T,
): Setting<T | null> {
  return { ...about, read: (text) => (text === null ? null : read(text, about.name)) }
}

export function textSetting(about: About, fallback: string): Setting<string> {
  return { ...about, fallback, read: (value) => value ?? fallback }
}

/** With `says_range` its meaning ends with its range. */
export function wholeNumberSetting(
  about: About,
  range: { fallback: number; least: number; most: number; says_range?: true },
): Setting<number> {
  const { fallback, least, most, says_range } = range
  return {
    ...about,
    meaning: says_range ? `${about.meaning}, ${least} to ${most}` : about.meaning,
    fallback: String(fallback),
    read: (value) => (value === null ? fallback : numberIn(value, about.name, { least, most })),
  }
}

export function numberIn(value: string, name: string, { least, most }: { least: number; most: number }): number {
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  return fail(name, `a whole number from ${least} to ${most}`)
}

export function oneOf<T extends string>(
  about: About,
  { words, fallback }: { words: readonly T[]; fallback: NoInfer<T> },
): Setting<T> {
  return { ...about, fallback, read: (value) => wordOf(about.name, value ?? fallback, words) }
}

export function wordOf<T extends string>(name: string, value: string, words: readonly T[]): T {
  return words.find((word) => word === value) ?? fail(name, `one of ${words.join(', ')}`)
}

/** An address of the service or its pages, without a final slash. */
export function address(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    return fail(name, 'an http or https address without query or fragment')
  }
  return url.href.replace(/\/$/, '')
}

/** An address to which paths are added, so it cannot have a path of its own. */
export function origin(value: string, name: string): string {
  const whole = address(value, name)
  return whole === new URL(whole).origin
    ? whole
    : fail(name, 'an http or https address without a path, such as https://pay.shop.example')
}

export function networkList(about: About): Setting<string[]> {
  return {
    ...about,
    fallback: 'none',
    read(value) {
      const list = value?.split(',').map((each) => each.trim()) ?? []
      if (list.every(isNetwork)) return list
      return fail(about.name, 'IP addresses or CIDR networks, separated by commas')
    },
  }
}

/** An IP address, or one with a prefix length. */
export function isNetwork(value: string): boolean {
  const [ip, bits, ...rest] = value.split('/')
  const family = isIP(ip ?? '')
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

export function fail(name: string, should: string): never {
  throw new ConfigError(name, `must be ${should}.`)
}
