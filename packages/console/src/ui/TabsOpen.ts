/** Tabs, and which of them is open. */

/** One tab. A tab that is `whole` is open at its own address alone, any other also below it. */
export interface Tab {
  readonly to: string
  readonly title: string
  readonly whole?: boolean
}

/** Whether a tab is open at a path. */
export const isOpen = ({ to, whole = false }: Tab, path: string): boolean =>
  path === to || (!whole && path.startsWith(`${to}/`))
