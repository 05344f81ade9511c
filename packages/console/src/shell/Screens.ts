/** Where each screen is. Its code is loaded when somebody goes there. */
import { type ComponentType, lazy } from "react"
import { isAt } from "./Place.ts"

type Load = () => Promise<{ readonly default: ComponentType }>

/** A screen, where it is, and what brings its code. */
export interface ScreenRow {
  readonly path: string
  readonly screen: ComponentType
  readonly load: Load
}

const at = (path: string, load: Load): ScreenRow => ({ path, screen: lazy(load), load })

/** In the order in which they are tried. */
export const screens: ReadonlyArray<ScreenRow> = [
  at("/", () => import("../inbox/InboxScreen.tsx")),
  at("/projects", () => import("../project/ProjectsScreen.tsx")),
  at("/p/:label", () => import("../overview/OverviewScreen.tsx")),
  at("/p/:label/changes", () => import("../change/ChangesScreen.tsx")),
  at("/p/:label/lane", () => import("../lane/LaneScreen.tsx")),
  at("/p/:label/generations", () => import("../generation/GenerationsScreen.tsx")),
  at("/p/:label/generations/compare", () => import("../generation/CompareScreen.tsx")),
  at("/p/:label/generations/:n", () => import("../generation/GenerationScreen.tsx")),
  at("/p/:label/rollback", () => import("../rollback/RollbackScreen.tsx")),
  at("/p/:label/logs", () => import("../app/LogsScreen.tsx")),
  at("/p/:label/dead-letters", () => import("../app/DeadLettersScreen.tsx")),
  at("/p/:label/code", () => import("../code/CodeScreen.tsx")),
  at("/p/:label/settings", () => import("../policy/PolicyScreen.tsx")),
  at("/p/:label/settings/members", () => import("../access/MembersScreen.tsx")),
  at("/p/:label/settings/webhooks", () => import("../webhook/WebhooksScreen.tsx")),
  at("/p/:label/settings/webhooks/:webhook", () => import("../webhook/WebhookScreen.tsx")),
  at("/p/:label/settings/app", () => import("../settings/AppScreen.tsx")),
  at("/changes/:id/:tab?", () => import("../change/ChangeScreen.tsx")),
  at("/settings", () => import("../account/AccountScreen.tsx")),
  at("/settings/passkeys", () => import("../approval/PasskeysScreen.tsx")),
  at("/device", () => import("../access/DeviceScreen.tsx")),
  at("/org/:id", () => import("../access/OrganizationScreen.tsx")),
  at("/system", () => import("../system/SystemScreen.tsx"))
]

/** Begins to load the code of the screen at an address, while it is still asked who is there. Whoever shows it tells when it does not come. */
export const loadScreenAt = (path: string): void => {
  const row = screens.find((each) => isAt(each.path, path))
  row?.load().catch(() => undefined)
}
