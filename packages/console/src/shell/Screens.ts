/** Where each screen is. Its code is loaded when somebody goes there. */
import { type ComponentType, lazy } from "react"

/** A screen, and where it is. */
export interface ScreenRow {
  readonly path: string
  readonly screen: ComponentType
}

/** In the order in which they are tried. */
export const screens: ReadonlyArray<ScreenRow> = [
  { path: "/", screen: lazy(() => import("../inbox/InboxScreen.tsx")) },
  { path: "/projects", screen: lazy(() => import("../project/ProjectsScreen.tsx")) },
  { path: "/p/:label", screen: lazy(() => import("../overview/OverviewScreen.tsx")) },
  { path: "/p/:label/changes", screen: lazy(() => import("../change/ChangesScreen.tsx")) },
  { path: "/p/:label/lane", screen: lazy(() => import("../lane/LaneScreen.tsx")) },
  { path: "/p/:label/generations", screen: lazy(() => import("../generation/GenerationsScreen.tsx")) },
  { path: "/p/:label/generations/compare", screen: lazy(() => import("../generation/CompareScreen.tsx")) },
  { path: "/p/:label/generations/:n", screen: lazy(() => import("../generation/GenerationScreen.tsx")) },
  { path: "/p/:label/rollback", screen: lazy(() => import("../rollback/RollbackScreen.tsx")) },
  { path: "/p/:label/logs", screen: lazy(() => import("../app/LogsScreen.tsx")) },
  { path: "/p/:label/dead-letters", screen: lazy(() => import("../app/DeadLettersScreen.tsx")) },
  { path: "/p/:label/code", screen: lazy(() => import("../code/CodeScreen.tsx")) },
  { path: "/p/:label/settings", screen: lazy(() => import("../policy/PolicyScreen.tsx")) },
  { path: "/p/:label/settings/members", screen: lazy(() => import("../access/MembersScreen.tsx")) },
  { path: "/p/:label/settings/webhooks", screen: lazy(() => import("../webhook/WebhooksScreen.tsx")) },
  { path: "/p/:label/settings/webhooks/:webhook", screen: lazy(() => import("../webhook/WebhookScreen.tsx")) },
  { path: "/p/:label/settings/app", screen: lazy(() => import("../settings/AppScreen.tsx")) },
  { path: "/changes/:id/:tab?", screen: lazy(() => import("../change/ChangeScreen.tsx")) },
  { path: "/settings", screen: lazy(() => import("../account/AccountScreen.tsx")) },
  { path: "/settings/passkeys", screen: lazy(() => import("../approval/PasskeysScreen.tsx")) },
  { path: "/device", screen: lazy(() => import("../access/DeviceScreen.tsx")) },
  { path: "/org/:id", screen: lazy(() => import("../access/OrganizationScreen.tsx")) },
  { path: "/system", screen: lazy(() => import("../system/SystemScreen.tsx")) }
]
