/** Tabs that are routes: each is a link, and the address says which is open. */
import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { useOpenInSight } from "./InSight.ts"
import { isOpen, type Tab } from "./TabsOpen.ts"

/** `label` is the name of the group for screen readers. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: ReadonlyArray<Tab> }): ReactNode => {
  const [path] = useLocation()
  const row = useOpenInSight(path)
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} href={tab.to} className="tab" aria-current={isOpen(tab, path) ? "page" : undefined}>
          {tab.title}
        </Link>
      ))}
    </nav>
  )
}
