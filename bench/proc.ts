// What the kernel tells of processes: their memory and the time that they had a core.

import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory in MB. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

/** CPU time of a process and all its threads so far, in seconds. */
export function cpuSeconds(pid: number): number {
  return statOf(pid)?.own_seconds ?? 0
}

/** CPU time of a process and all its threads so far, to the nanosecond: the other counts are in hundredths of a second. */
export function cpuNanoseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + threadNanoseconds(pid, thread), 0)
}

/** A thread may have ended meanwhile. */
function threadNanoseconds(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** CPU time of a process in seconds with its children, those that live and those that have ended: PostgreSQL has a process for each connection. */
export function familyCpuSeconds(pid: number): number {
  const parent = statOf(pid)
  if (!parent) return 0
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent_pid === pid)
  const living = children.reduce((sum, child) => sum + child!.own_seconds, 0)
  return parent.own_seconds + parent.ended_children_seconds + living
}

/** What all processes of the machine had together so far, and the kernel for none of them, in seconds. */
export function machineCpuSeconds(): number {
  const [all] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user, nice, system, , , ...interrupts] = all!.split(/\s+/).slice(1).map(Number)
  // Interrupts of two kinds, and what other guests of the same host took; the rest counts within user.
  const [hard, soft, stolen] = interrupts
  return (user! + nice! + system! + hard! + soft! + stolen!) / ticks_per_second
}

type Stat = { parent_pid: number; own_seconds: number; ended_children_seconds: number }

/** Null where the process has ended. */
function statOf(pid: number): Stat | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The program's name, in brackets, may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (at: number) => (Number(fields[at]) + Number(fields[at + 1])) / ticks_per_second
  return {
    parent_pid: Number(fields[1]),
    own_seconds: seconds(11),
    ended_children_seconds: seconds(13),
  }
}

/** What Linux counts in, on every machine. */
const ticks_per_second = 100
