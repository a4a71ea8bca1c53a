// The page of all settings, from the records that the service reads them by.

import { allSettings } from '../config/config.ts'

/** The text of docs/operations/settings.md. */
export function settingsDocument(): string {
  const rows = allSettings.map(({ name, meaning, fallback, secret }) => {
    const marked = secret ? `${meaning} (secret)` : meaning
    return `| \`${name}\` | ${cell(marked)} | ${cell(fallback)} |\n`
  })
  return `# Settings

The service reads these variables of the environment once, at its start. \`npx ripper config\` lists them with their values, secrets without.
A value that cannot be read stops the start, with a message that names the variable. \`npx ripper doctor\` finds names that are misspelt.
In [a container](../install.md#a-container) a file in \`/run/secrets\` with the name of a setting becomes that setting; [systemd](../install.md#systemd)
reads \`/etc/ripper/environment\`. Commands need the same settings as the service. \`npm run docs\` makes this page from the code.

| setting | what it is | default |
|---|---|---|
${rows.join('')}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
