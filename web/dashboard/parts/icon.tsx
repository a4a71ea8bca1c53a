// Small drawings beside words. They say nothing by themselves, so screen readers pass them by.

const paths = {
  overview: 'M3 11h5V3H3zM12 17h5V9h-5zM3 17h5v-3H3zM12 6h5V3h-5z',
  payments: 'M2.5 5.5h15v9h-15zM2.5 8.5h15M5.5 12h3',
  holds: 'M6 3h8M6 17h8M7 3v3l3 4-3 4v3M13 3v3l-3 4 3 4v3',
  links:
    'M8.5 11.500a3 3 0 0 0 4.200 0l3-3a3 3 0 0 0-4.200-4.200l-1 1M11.500 8.500a3 3 0 0 0-4.200 0l-3 3a3 3 0 0 0 4.200 4.200l1-1',
  refunds: 'M8 3.5 4 7.5l4 4M4 7.5h7.500a4.500 4.500 0 0 1 0 9H7',
  disputes: 'M10 3v13M6 16h8M4 6h12M4 6 2 11h4zM16 6l-2 5h4z',
  payouts: 'M3 9 10 4l7 5zM4.500 9v6M8 9v6M12 9v6M15.500 9v6M3 16.5h14',
  sessions: 'M3 4h2l2 9h8l2-6H6M8 16.5h.01M14 16.5h.01',
  webhooks: 'M10 9 7 14M10 6a3 3 0 1 1 2.6 4.5M7 14a3 3 0 1 1-2.6-4.4M8 15h6a3 3 0 1 0-1-5',
  requests: 'M4 6h12M4 10h12M4 14h7M14 13l2.5 2L14 17',
  keys: 'M12.5 3.5a4 4 0 1 1-3.7 5.5L3 14.8V17h2.5v-2H8v-2.5l2-2M13.5 6.5h.01',
  integrations: 'M3 4h14v12H3zM3 8h14M6 6h.01M7 12h6',
  connections: 'M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v2.5',
  team: 'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 4a3 3 0 0 1 0 5.5M14.5 12.200c2 .5 3 2 3 4.300',
  operations: 'M10 3v3M10 14v3M3 10h3M14 10h3M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  merchants: 'M3.5 8.5V17h13V8.5M2.5 8.5 4 3h12l1.5 5.5zM8 17v-4.500h4V17',
  system: 'M3 5h14v8H3zM7 16.5h6M10 13v3.5M6 9h2l1.5-2 1.5 4 1-2h2',
  audit: 'M5 3h7l3 3v11H5zM8 9h4M8 12h4',
  more: 'M3.5 10h1M9.5 10h1M15.5 10h1',
  search: 'M9 14a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM13 13l4 4',
  close: 'M5 5l10 10M15 5 5 15',
  chevron: 'M6 8l4 4 4-4',
  back: 'M12 5l-5 5 5 5',
  forward: 'M8 5l5 5-5 5',
  copy: 'M7 7h9v10H7zM4 13V3h9',
  done: 'M4 10.5l4 4 8-9',
  plus: 'M10 4v12M4 10h12',
  person: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17c.5-3.5 3-5 6.5-5s6 1.5 6.5 5',
  passkey:
    'M8 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16c.3-3.200 2.200-5 5.5-5 1 0 1.800.2 2.5.5M15 8.5a2.5 2.5 0 0 1 1 4.800V17l-1 1-1-1v-3.700a2.5 2.5 0 0 1 1-4.800z',
  lock: 'M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  download: 'M10 3v9M6 9l4 4 4-4M4 16.5h12',
  warning: 'M10 3 2.5 16.5h15zM10 8v4M10 14.200h.01',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
