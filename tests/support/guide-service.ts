// A service of the demo merchant for the guides, in a folder of its own, and the shell in which their blocks run.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Json } from './client.ts'
import { prelude } from './guide-blocks.ts'
import { type ProgramResult, type RunningProgram, serve, shell, talkShell } from './programs.ts'
import { removeData } from './setup-database.ts'

/** To be called at the top of a file. */
export function openGuides() {
  const place = mkdtempSync(join(tmpdir(), 'ripper-guides-'))
  const folder = join(place, 'ripper')
  const env = {
    RIPPER_DATA_DIR: '.ripper',
    RIPPER_PORT: '0',
    npm_config_cache: join(place, 'cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  const here = { cwd: folder, env }
  /** For commands, which have no folder of their own. */
  const there = { env: { ...env, RIPPER_DATA_DIR: join(folder, '.ripper') } }
  const staying: RunningProgram[] = []
  let service: Awaited<ReturnType<typeof serve>>
  let demo: Json

  beforeAll(async () => {
    mkdirSync(folder)
    // The server of a run as root is another user's.
    for (const each of [place, folder]) chmodSync(each, 0o711)
    service = await serve(here)
    demo = JSON.parse(readFileSync(join(folder, '.ripper/demo.json'), 'utf8'))
  }, 60_000)
  afterAll(async () => {
    await service.stop()
    removeData(join(folder, '.ripper'))
    removeData(place)
  })
  afterEach(async () => {
    for (const program of staying.splice(0).reverse()) await program.stop()
  })

  return {
    env,
    place,
    folder,
    here,
    there,
    /** Programs that are stopped after the test. */
    staying,
    demo: () => demo,
    /** Starts a block that stays. */
    begin(script: string): RunningProgram {
      const program = talkShell(prelude + script, here)
      staying.push(program)
      return program
    },
    /** Runs a block to its end. */
    async run(script: string): Promise<string> {
      const { status, stdout, stderr }: ProgramResult = await shell(prelude + script, here)
      expect(status, stderr).toBe(0)
      return stdout
    },
  }
}
