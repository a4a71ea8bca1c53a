// The ten languages, each by its own name. The page is loaded again: the document hands over the words.

import { keep } from '../kept.ts'
import { pageContext } from '../page-context.ts'
import { say } from '../words.ts'
import { Dialog } from './dialog.tsx'

const languages = ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt'] as const

const spoken = new Intl.Locale(pageContext.locale).language

export function LanguageDialog({ onClose, beforeReload }: { onClose: () => void; beforeReload?: () => void }) {
  const choose = (language: string) => {
    keep('ripper-language', language)
    beforeReload?.()
    location.reload()
  }
  return (
    <Dialog title={say('language')} onClose={onClose}>
      <ul className="languages">
        {languages.map((language) => (
          <li key={language}>
            <button
              type="button"
              lang={language}
              className="menu-item"
              aria-current={language === spoken || undefined}
              onClick={() => choose(language)}
            >
              {nameOf(language)}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** `Language: English`, in the language that is spoken. */
export function languageWords(): string {
  return say('language_is', { name: nameOf(spoken) })
}

/** In that language itself. Some languages write their names small, which a list does not. */
function nameOf(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
