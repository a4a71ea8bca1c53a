export function isWebBuilt(root: string): boolean
export function buildWeb(root: string): Promise<void>
