// A service with a folder of its own, and the environment by which commands find both: what the tests of operators' commands begin with.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Service, startService } from './service.ts'

export type Operated = { service: Service; folder: string; env: Record<string, string> }

/** Starts it for a test file; it ends with the file. */
export async function useOperated(
  options: Omit<Parameters<typeof startService>[0], 'master_key'> = {},
): Promise<Operated> {
  const folder = mkdtempSync(join(tmpdir(), 'ripper-operated-'))
  const master_key = randomBytes(32)
  const service = await startService({ ...options, master_key })
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const env = {
    RIPPER_DATABASE_URL: service.database.url,
    RIPPER_MASTER_KEY: master_key.toString('base64'),
    RIPPER_DATA_DIR: folder,
    RIPPER_BASE_URL: service.base_url,
  }
  return { service, folder, env }
}
