/** The shop with the demo's edit, as files and as a built bundle. */
import * as EsbuildAppBuilder from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { openingHours } from "@pawl/server/node/demo/Story"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { Effect } from "effect"
import type { Built } from "./Apps.ts"

export interface Shop {
  readonly template: FileEdits
  readonly edit: FileEdits
}

export const readShop = async (): Promise<Shop> => {
  const template = await readTemplate("shop")
  const index = template["src/index.ts"]
  if (typeof index !== "string") throw new Error("the shop has no src/index.ts")
  return { template, edit: openingHours(index) }
}

export type Tree = ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>

/** The files after the edit. */
export const treeOf = ({ edit, template }: Shop): Tree =>
  new Map(
    Object.entries({ ...template, ...edit }).flatMap(([path, content]) => {
      if (content === null) return []
      const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64")
      return [[path, { content: bytes, executable: false }] as const]
    })
  )

/** Builds a tree with the real builder. */
export const build = (files: Tree): Promise<Built> =>
  Effect.gen(function* () {
    const builder = yield* AppBuilder
    const id = "1".repeat(40)
    const project = "proj_00000000-0000-4000-8000-000000000001"
    const handle = yield* builder.start({ id: "bench", project, commit: id, tree: id, builtAtMs: 0, files })
    const state = yield* Effect.repeat(builder.poll(handle, 1000), { until: (polled) => polled._tag === "Finished" })
    if (state._tag !== "Finished" || state.result._tag !== "Built")
      throw new Error(`the shop was not built: ${JSON.stringify(state)}`)
    return state.result
  }).pipe(Effect.provide(EsbuildAppBuilder.layer({ spare: false })), Effect.runPromise)

/** The bundled code of an app. */
export const mainModule = ({ bundle }: Built): string => {
  const content = bundle.mainModule === null ? undefined : bundle.modules[bundle.mainModule]?.content
  if (content === undefined) throw new Error("the app has no code")
  return content
}
