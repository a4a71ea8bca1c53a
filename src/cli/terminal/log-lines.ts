// The log as people read it on a terminal. Wherever else it goes, it is JSON.

import { inspect } from 'node:util'
import type { LogLines } from '../../outgoing/real-world.ts'
import { oneLine } from './print.ts'

const levels = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'ERROR'],
])
/** Values come from outside, and one may be as long as a path. */
const fields_length_max = 400

/** A line each: time of day, level, message, fields. A first start's migrations are one line, so that the greeting stays in sight. */
export function logForPeople(out: { write(text: string): unknown }): LogLines {
  let migrations = 0
  return {
    write(line) {
      const { level, time, msg, ...fields } = JSON.parse(line)
      if (msg === 'migrated') {
        migrations += 1
        return
      }
      if (migrations > 0) out.write(shown({ level: 30, time, msg: 'migrated', migrations }))
      migrations = 0
      out.write(shown({ level, time, msg, ...fields }))
    },
  }
}

type Line = { level: number; time: string; msg: string } & Record<string, unknown>

function shown({ level, time, msg, ...fields }: Line): string {
  const members = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`)
  const start = `${time.slice(11, 19)} ${(levels.get(level) ?? '').padEnd(5)}`
  return `${start} ${oneLine([msg, ...members].join(' '), fields_length_max)}\n`
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"]+$/.test(value)) return value
  return typeof value === 'number' || typeof value === 'string'
    ? JSON.stringify(value)
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 3 })
}
