// What a trial of whole processes stands on: folders of its own, the settings of its processes, and the clients' diary.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { type Config, readConfig } from '../../src/config/config.ts'
import { open, type ServiceResources } from '../../src/service/resources.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { type Diary, openDiary } from './diary.ts'

export type Ground = {
  /** Of the processes; they take a port each. */
  env: Record<string, string>
  /** The same for this process, which says nothing. */
  config: Config
  data_dir: string
  /** Where the processes write their logs. */
  log_file: string
  diary: Diary
  /** Returns where the logs and these faults are kept; null where there is no fault, and then nothing is. */
  judge(faults: string[]): string | null
  /** Stops the server, by what this process has opened if it has, and removes what need not be kept. */
  close(opened: ServiceResources | null): Promise<void>
}

/** `name` and the process's id name the folder of the logs; `settings` are added to those of every trial. */
export function openGround(name: string, settings: Record<string, string>): Ground {
  const data_dir = newDataFolder()
  const folder = `${tmpdir()}/ripper-${name}-${process.pid}`
  mkdirSync(folder, { recursive: true })
  const diary = openDiary(`${folder}/answers.jsonl`)
  const env = {
    RIPPER_DATA_DIR: data_dir,
    RIPPER_PORT: '0',
    RIPPER_LOG_LEVEL: 'warn',
    RIPPER_GATEWAY_LIMIT: '0',
    RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    RIPPER_WEBHOOK_RETRY_SCHEDULE: '1,1,2,3,5',
    ...settings,
  }
  const config = readConfig({ ...env, RIPPER_LOG_LEVEL: 'silent' })
  // What was never judged went wrong on its way.
  let is_calm = false
  return {
    env,
    config,
    data_dir,
    diary,
    log_file: `${folder}/processes.log`,
    judge(faults) {
      is_calm = faults.length === 0
      if (is_calm) return null
      writeFileSync(`${folder}/faults.txt`, `${faults.join('\n')}\n`)
      return folder
    },
    async close(opened) {
      // Who comes last stops the server.
      const last = opened ?? (await open(config).catch(() => null))
      await last?.database.close()
      diary.close()
      removeData(data_dir)
      if (is_calm) rmSync(folder, { recursive: true })
    },
  }
}
