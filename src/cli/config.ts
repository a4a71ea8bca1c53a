// `ripper config`: every setting with its meaning and its value.

import { allSettings, type Config, readConfig, shownValue } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import { keyringOf } from './doctor/database.ts'
import { command } from './terminal/option.ts'
import { printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const configCommand = command({
  name: 'config',
  summary: 'Lists every setting with its value; secrets show only whether they are set',
  options: {},
  async run({ json }) {
    const { environment } = terminal()
    const key_ids = keyIdsOf(readConfig(environment))
    const rows = allSettings.map((setting) => ({
      name: setting.name,
      value: shownValue(setting, environment),
      default: setting.fallback,
      meaning: setting.meaning,
      ...(setting.name === settings.master_keys.name && { key_ids }),
    }))
    if (json) {
      printJson(rows)
      return
    }
    for (const { name, value, meaning, default: fallback, ...more } of rows) {
      const words = value === null ? `default: ${fallback}` : `set to: ${value}`
      const ids = more.key_ids ? `\n  key ids: ${more.key_ids.join(', ')}` : ''
      terminal().stdout.write(`${name}\n  ${meaning}\n  ${words}${ids}\n`)
    }
  },
})

/** By which log and doctor name the master keys; null without any that can be read. */
function keyIdsOf(config: Config): string[] | null {
  return keyringOf(config).keyring?.key_ids ?? null
}
