/** The tabs of a Change. Each is a route, and its code is loaded when somebody goes there. */
import { type ComponentType, lazy, type ReactNode } from "react"
import { Link, useSearchParams } from "wouter"
import { useOpenInSight } from "../ui/InSight.ts"

/** What each tab is given. */
export interface TabProps {
  readonly changeId: string
  /** The Candidate that is looked at; null while there is none. */
  readonly candidateId: string | null
}

/** One tab: `name` is the end of its address. */
export interface ChangeTab {
  readonly name: string
  readonly title: string
  readonly tab: ComponentType<TabProps>
}

/** In their order; the first has no name. */
export const changeTabs: ReadonlyArray<ChangeTab> = [
  { name: "", title: "Summary", tab: lazy(() => import("./SummaryTab.tsx")) },
  { name: "diff", title: "Diff", tab: lazy(() => import("../diff/DiffTab.tsx")) },
  { name: "evidence", title: "Evidence", tab: lazy(() => import("../evidence/EvidenceTab.tsx")) },
  { name: "preview", title: "Preview", tab: lazy(() => import("../preview/PreviewTab.tsx")) },
  { name: "work", title: "Work", tab: lazy(() => import("../work/WorkTab.tsx")) },
  { name: "history", title: "History", tab: lazy(() => import("./HistoryTab.tsx")) }
]

/** Links to them; the Candidate that is looked at goes along, and nothing else of the address. */
export const ChangeTabLinks = ({ id, open }: { readonly id: string; readonly open: string }): ReactNode => {
  const candidate = useSearchParams()[0].get("candidate")
  const row = useOpenInSight(open)
  return (
    <nav ref={row} className="tabs change-tabs" aria-label="Parts of this Change">
      {changeTabs.map(({ name, title }) => (
        <Link
          key={name}
          href={`/changes/${id}${name === "" ? "" : `/${name}`}${candidate === null ? "" : `?candidate=${encodeURIComponent(candidate)}`}`}
          className="tab"
          aria-current={name === open ? "page" : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
