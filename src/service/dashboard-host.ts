// Which host has which paths, where the dashboard has an origin of its own: there it is alone, and nowhere else.

/** `route` is the pattern of the path that was asked for; undefined where there is none. */
export type HostRule = (host: string | undefined, route: string | undefined) => boolean

/** Null where the dashboard shares the service's own address. */
export function hostRuleOf(dashboard_url: string | null): HostRule | null {
  if (dashboard_url === null) return null
  const { hostname, port, protocol } = new URL(dashboard_url)
  const usual_port = protocol === 'https:' ? '443' : '80'
  const own = port ? [`${hostname}:${port}`] : [hostname, `${hostname}:${usual_port}`]
  return (host, route) => {
    // As text: a parser would find the same name in texts that a proxy takes for others.
    const is_own = host !== undefined && own.includes(host.toLowerCase())
    if (route?.startsWith('/assets/')) return true
    const is_dashboard = route === '/dashboard' || route?.startsWith('/dashboard/') === true
    return is_own === is_dashboard
  }
}
