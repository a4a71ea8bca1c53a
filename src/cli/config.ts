// `ripper config`: every setting with its meaning and its value.

import { allSettings, readConfig, shownValue } from '../config/config.ts'
import { command } from './terminal/option.ts'
import { printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const configCommand = command({
  name: 'config',
  summary: 'Lists every setting with its value; secrets show only whether they are set',
  options: {},
  async run({ json }) {
    readConfig(terminal().environment)
    const settings = allSettings.map((setting) => ({
      name: setting.name,
      value: shownValue(setting, terminal().environment),
      default: setting.fallback,
      meaning: setting.meaning,
    }))
    if (json) {
      printJson(settings)
      return
    }
    for (const { name, value, meaning, default: fallback } of settings) {
      terminal().stdout.write(
        `${name}\n  ${meaning}\n  ${value === null ? `default: ${fallback}` : `set to: ${value}`}\n`,
      )
    }
  },
})
