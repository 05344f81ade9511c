/** The tools of files of the agent that is built in, as a harness of edit scenes. */
import { type Overlay, editsOf, overlayOn } from "@pawl/core/agent/Overlay"
import { requested, toolNames } from "@pawl/core/agent/Tools"
import { onFiles } from "@pawl/core/harness/ToolUse"
import { Effect, Result } from "effect"
import type { EditScene, SceneCall } from "../../scenes/EditScenes.ts"
import type { CarriedOut } from "./EditScenesContract.ts"

/** Carries out calls one after the other. A call that has not the shape of its tool is a defect. */
export const builtInEdits = Effect.fnUntraced(function* (input: EditScene["input"], calls: ReadonlyArray<SceneCall>) {
  let overlay: Overlay = overlayOn(input)
  const results: Array<CarriedOut["results"][number]> = []
  for (const { input: asked, name } of calls) {
    const call = requested({ id: "c", name, input: asked, raw: "" }, toolNames("implement", false))
    const request = Result.getOrThrow(call)
    if (request.name !== "read" && request.name !== "edit" && request.name !== "write" && request.name !== "remove")
      return yield* Effect.die(new Error(`${name} is no tool of files`))
    const made = yield* onFiles(overlay, request)
    overlay = made.overlay
    results.push({ text: made.text, failed: made.failed })
  }
  const files = new Map(input)
  for (const [path, text] of Object.entries(editsOf(overlay))) {
    if (text === null) files.delete(path)
    else files.set(path, new TextEncoder().encode(typeof text === "string" ? text : ""))
  }
  return { files, results } satisfies CarriedOut
})
