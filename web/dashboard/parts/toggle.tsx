// A switch: on or off, at once.

export function Toggle({
  label,
  is_on,
  onChange,
}: {
  label: string
  is_on: boolean
  onChange: (is_on: boolean) => void
}) {
  return (
    <button type="button" role="switch" aria-checked={is_on} className="toggle" onClick={() => onChange(!is_on)}>
      <span className="track" aria-hidden="true" />
      {label}
    </button>
  )
}
