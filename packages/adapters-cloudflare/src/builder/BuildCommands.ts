/** Which build command a source names, and whether something here can run it. */
import type { AppBuilder, BuildCommand } from "@pawl/core/bundle/AppBuilder"
import { problem } from "@pawl/adapters-local/builder/bundler/BundlerProblem"
import { buildCommand } from "@pawl/adapters-local/builder/settings/BuildCommand"
import { Effect } from "effect"

const refused: BuildCommand = {
  _tag: "Refused",
  problems: [
    problem(
      "build_command_unavailable",
      "This source needs a build command, and nothing here runs one: there is no container. Leave what the command makes in the source, and take the command out of pawl.json."
    )
  ]
}

/** `AppBuilder.commandOf`; without `commands` a source that names one is refused in words. */
export const commandOf =
  (commands: boolean): (typeof AppBuilder.Service)["commandOf"] =>
  (files) =>
    Effect.sync(() => {
      const found = buildCommand(files)
      return found._tag === "Command" && !commands ? refused : found
    })
