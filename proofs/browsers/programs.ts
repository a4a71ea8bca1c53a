// Programs that a browser's proof starts and ends: the browser, its driver, a display that nobody sees.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { MissingError } from './driver.ts'

/** The first of the programs that is installed. Throws MissingError. */
export function programOf(...names: string[]): string {
  const found = names.find((name) => existsSync(name) || pathOf(name))
  if (found) return found
  throw new MissingError(names.join(' or '))
}

function pathOf(name: string): boolean {
  return spawnSync('which', [name], { stdio: 'ignore' }).status === 0
}

export type Running = {
  /** The first match in what it prints, within 30 s. */
  says(words: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}

export function run(program: string, args: string[], env: Record<string, string | undefined> = {}): Running {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      said += part
    })
  }
  return {
    async says(words) {
      for (let tries = 0; tries < 300; tries += 1) {
        const found = words.exec(said)
        if (found) return found
        if (child.exitCode !== null) break
        await pause(100)
      }
      throw new Error(`${program} did not say ${words}: ${said.slice(-500)}`)
    },
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await Promise.race([ended, pause(3_000).then(() => child.kill('SIGKILL'))])
}

/** A screen in memory: WebKit has no mode without one. */
export async function openDisplay(): Promise<{ name: string; close(): Promise<void> }> {
  const args = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']
  const display = run(programOf('Xvfb'), args)
  const [, number] = await display.says(/(\d+)\n/)
  return { name: `:${number}`, close: display.stop }
}
