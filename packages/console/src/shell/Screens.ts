/** Where each screen is. Its code is loaded when somebody goes there. */
import { type ComponentType, lazy } from "react"

/** A screen that is there, or one that is planned: then `asks` is what to ask the API meanwhile. */
export type ScreenRow =
  | { readonly path: string; readonly screen: ComponentType }
  | { readonly path: string; readonly title: string; readonly asks: string }

const planned = (path: string, title: string, asks: string): ScreenRow => ({ path, title, asks })

/** In the order in which they are tried. */
export const screens: ReadonlyArray<ScreenRow> = [
  { path: "/", screen: lazy(() => import("../inbox/InboxScreen.tsx")) },
  { path: "/projects", screen: lazy(() => import("../project/ProjectsScreen.tsx")) },
  { path: "/p/:label", screen: lazy(() => import("../overview/OverviewScreen.tsx")) },
  planned("/p/:label/changes", "Changes", "GET /v1/projects/:id/changes"),
  { path: "/p/:label/lane", screen: lazy(() => import("../lane/LaneScreen.tsx")) },
  { path: "/p/:label/generations", screen: lazy(() => import("../generation/GenerationsScreen.tsx")) },
  { path: "/p/:label/generations/compare", screen: lazy(() => import("../generation/CompareScreen.tsx")) },
  { path: "/p/:label/generations/:n", screen: lazy(() => import("../generation/GenerationScreen.tsx")) },
  { path: "/p/:label/rollback", screen: lazy(() => import("../rollback/RollbackScreen.tsx")) },
  { path: "/p/:label/logs", screen: lazy(() => import("../app/LogsScreen.tsx")) },
  { path: "/p/:label/dead-letters", screen: lazy(() => import("../app/DeadLettersScreen.tsx")) },
  { path: "/p/:label/code", screen: lazy(() => import("../code/CodeScreen.tsx")) },
  planned("/p/:label/settings", "Settings", "GET /v1/projects/:id/policy"),
  planned("/changes/:id", "Change", "GET /v1/changes/:id"),
  planned("/changes/:id/diff", "Diff", "GET /v1/candidates/:id/diff"),
  planned("/changes/:id/evidence", "Evidence", "GET /v1/candidates/:id/evidence"),
  planned("/changes/:id/preview", "Preview", "GET /v1/candidates/:id/preview"),
  planned("/changes/:id/work", "Work", "GET /v1/changes/:id/work-graph"),
  planned("/changes/:id/history", "History", "GET /v1/changes/:id/history"),
  planned("/settings", "Account", "GET /v1/me"),
  planned("/org/:id", "Organization", "GET /v1/organizations"),
  planned("/system", "System", "GET /health/ready")
]
