// GET /dashboard and below: the document in which the dashboard's script runs. It says nothing of the person, but comes in
// the language and the colours that were chosen in this browser: a script would be too late, and the page would flash.

import { cookieIn } from '../http/cookies.ts'
import type { Page } from '../http/pages.ts'
import { Refusal } from '../kernel/errors.ts'
import { escapeHtml, guarded, htmlDocument } from '../kernel/html.ts'
import { type Language, languageAmong, languageFor, readLanguages } from '../kernel/words.ts'
import type { Context } from '../payments/context.ts'
import type { Asset, DashboardAssets } from './assets.ts'
import { inScript } from './document.ts'
import { messagePage } from './message-page.ts'

/** `assets` are null in a build without the dashboard. */
export function dashboardPages(assets: DashboardAssets | null): Page<Context>[] {
  const handle: Page<Context>['handle'] = async (_context, { url, caller }) => {
    if (/^\/dashboard\/api(\/|\?|$)/.test(url)) {
      throw new Refusal('resource_not_found', 'There is no GET route at this path.')
    }
    const accept_language = caller.header('accept-language')
    if (!assets) {
      const language = languageFor(null, accept_language)
      return messagePage({ status: 503, language, words: 'unavailable' })
    }
    return {
      status: 200,
      headers: { ...dashboardHeaders, vary: 'Accept-Language, Cookie' },
      body: dashboardDocument(assets, {
        language: cookieIn(caller, 'ripper-language'),
        theme: cookieIn(caller, 'ripper-theme'),
        accept_language,
      }),
    }
  }
  return [
    { method: 'GET', path: '/dashboard', handle },
    { method: 'GET', path: '/dashboard/*', handle },
  ]
}

/** `language` and `theme` are what was chosen in this browser, as its cookies have it. */
export function dashboardDocument(
  { script, style }: Record<'script' | 'style', Pick<Asset, 'path' | 'integrity'>>,
  wanted: Record<'language' | 'theme' | 'accept_language', string | null>,
): string {
  const language = dashboardLanguage(wanted.language, wanted.accept_language)
  // The script has the English words itself.
  const words = language.tag === 'en' ? 'null' : language.words_json
  const context = `{"locale":${JSON.stringify(language.locale)},"words":${words}}`
  return htmlDocument({
    language,
    title: language.words.product!,
    head:
      '<meta name="google" content="notranslate">' +
      `<link rel="stylesheet" href="${style.path}" integrity="${style.integrity}" crossorigin>` +
      `<script defer src="${script.path}" integrity="${script.integrity}" crossorigin></script>`,
    body:
      `<div id="root"><noscript>${escapeHtml(language.words.needs_script!)}</noscript></div>` +
      `<script type="application/json" id="context">${inScript(context)}</script>`,
    attributes: {
      html: {
        'data-theme': themes.find((each) => each === wanted.theme) ?? 'auto',
        // A translator replaces the text that React then changes: buttons keep the amount of before. The page speaks ten languages itself.
        translate: 'no',
      },
    },
  })
}

const themes = ['light', 'dark']

const dashboardHeaders = {
  ...guarded({
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'connect-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'frame-ancestors': ["'none'"],
  }),
  'permissions-policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), payment=(), camera=(), microphone=(), geolocation=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

const languages = readLanguages(new URL('../../web/words/dashboard/', import.meta.url))

/** `chosen` is a tag without a region, such as `de`; a browser that prefers that language adds its own region. */
function dashboardLanguage(chosen: string | null, accept_language: string | null): Language & { tag: string } {
  const browsers = languageAmong(languages, null, accept_language)
  const language = tagOf(browsers) === chosen ? browsers : languageAmong(languages, chosen, accept_language)
  return { ...language, tag: tagOf(language) }
}

function tagOf({ locale }: Language): string {
  return new Intl.Locale(locale).language
}
