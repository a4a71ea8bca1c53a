// The list of keys, which ? opens, with a switch that turns single keys off.

import { usePlace } from '../merchant.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Toggle } from '../parts/toggle.tsx'
import { useStore } from '../store.ts'
import { say } from '../words.ts'
import { opens } from './screen-names.ts'
import { letters } from './shortcut-keys.ts'
import { keepShortcuts, shortcutListStore, shortcutsStore, useShortcuts } from './shortcuts.ts'

/** Makes the keys work, and shows the list when it is asked for. */
export function Shortcuts() {
  useShortcuts()
  if (!useStore(shortcutListStore)) return null
  return <ShortcutList onClose={() => shortcutListStore.write(false)} />
}

function ShortcutList({ onClose }: { onClose: () => void }) {
  const place = usePlace()
  const are_on = useStore(shortcutsStore)
  const rows: [keys: string[], words: string][] = [
    [['/'], say('shortcut_search')],
    [['j', 'k'], say('shortcut_next')],
    [['Enter'], say('shortcut_open')],
    [['x'], say('shortcut_mark')],
    [['c'], say('shortcut_capture')],
    [['v'], say('shortcut_void')],
    ...Object.entries(letters)
      .filter(([, screen]) => opens(place, screen))
      .map(([letter, screen]): [string[], string] => [
        ['g', letter],
        say('shortcut_go', { screen: say(`nav_${screen}`) }),
      ]),
    [['Ctrl', 'K'], say('shortcut_palette')],
    [['?'], say('shortcut_list')],
  ]
  return (
    <Dialog title={say('shortcuts')} onClose={onClose}>
      <p className="hint">{say('shortcuts_words')}</p>
      <dl className="shortcuts">
        {rows.map(([keys, words]) => (
          <div key={words}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <Toggle label={say('shortcuts_on')} is_on={are_on} onChange={keepShortcuts} />
    </Dialog>
  )
}
