/** Tabs that are routes: each is a link, and the address says which is open. */
import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"

/** One tab. A tab that is `whole` is open at its own address alone, any other also below it. */
export interface Tab {
  readonly to: string
  readonly title: string
  readonly whole?: boolean
}

/** Whether a tab is open at a path. */
export const isOpen = ({ to, whole = false }: Tab, path: string): boolean =>
  path === to || (!whole && path.startsWith(`${to}/`))

/** `label` is the name of the group for screen readers. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: ReadonlyArray<Tab> }): ReactNode => {
  const [path] = useLocation()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} href={tab.to} className="tab" aria-current={isOpen(tab, path) ? "page" : undefined}>
          {tab.title}
        </Link>
      ))}
    </nav>
  )
}
