/** What plans Changes and works their Tasks, where the options name language models. */
import { vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"
import * as HttpModels from "@pawl/adapters-models/HttpModels"
import * as BuiltIn from "@pawl/core/harness/BuiltIn"
import * as ModelPlanner from "@pawl/core/change/ModelPlanner"
import { heldIn } from "@pawl/core/claim/Claims"
import type { Change } from "@pawl/core/model/Change"
import { notesOf } from "@pawl/core/task/Notes"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { ServerLimits } from "../ServerLimits.ts"

/** What the agents of other Changes write now. A planner keeps out of it where it can. */
const writtenNow = ({ id, projectId }: Change) =>
  Effect.map(heldIn(projectId), (claims) =>
    claims
      .flatMap(({ record }) => (record.mode === "write" && record.changeId !== id ? [record.value] : []))
      .slice(0, ServerLimits.claimsTold)
  )

/** What people wrote to the agent of a Task. */
const notesFor = (taskId: string) =>
  Effect.map(notesOf(taskId), (notes) => notes.map(({ author, id, text }) => ({ id, by: author.id, text })))

/** What an app may import besides its own files, with versions. */
const packages = vendoredPackages.map(({ name, version }) => `${name} ${version}`)

/** The planner and the agent, and the models that they ask. */
export const over = (models: Layer.Layer<never>) =>
  Layer.merge(ModelPlanner.layer({ othersOf: writtenNow, packages }), BuiltIn.layer({ notesFor, packages })).pipe(
    Layer.provideMerge(models)
  )

/** The models over HTTP, the planner and the agent that ask them. */
export const layer = (models: HttpModels.HttpModelsOptions) =>
  over(HttpModels.layer(models).pipe(Layer.provide(FetchHttpClient.layer)))
