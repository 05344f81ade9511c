/** The data of apps, as the script that holds the Projects reaches it: each store in its object, each Project in its own. */
import * as DurableObjectAppData from "@pawl/adapters-cloudflare/appdata/DurableObjectAppData"
import { callData, type DataCall } from "@pawl/adapters-cloudflare/runtime/AppBindings"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { CanonicalBindings } from "./Bindings.ts"

/** What of the bindings leads there. */
export type StoreBindings = Pick<CanonicalBindings, "PROJECTS" | "STORES">

/** `AppData` over these bindings. */
export const appDataOf = ({ PROJECTS, STORES }: StoreBindings) =>
  DurableObjectAppData.make({
    store: (name) => STORES.getByName(name),
    mayWrite: (project, channel, incarnation) => PROJECTS.getByName(project).mayWrite(channel, incarnation)
  })

/** Answers a call of `env.DATA`, or rejects with words for the app. */
export const callStore = (
  bindings: StoreBindings,
  version: Pick<AppVersion, "channel" | "incarnation" | "project">,
  call: DataCall
): Promise<unknown> => callData(appDataOf(bindings), version, call)
