// A button at each block of code that copies it whole. Browsers allow that only over https and on the reader's own machine.

export function copyCode(): void {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll<HTMLElement>('#text pre')) {
    const place = document.createElement('div')
    place.className = 'copied-from'
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copy(block, button))
    block.replaceWith(place)
    place.append(block, button)
  }
}

async function copy(block: HTMLElement, button: HTMLElement): Promise<void> {
  const is_done = await navigator.clipboard.writeText(block.textContent ?? '').then(
    () => true,
    () => false,
  )
  button.textContent = is_done ? 'Copied' : 'Not allowed'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, shown_ms)
}

const shown_ms = 2_000
