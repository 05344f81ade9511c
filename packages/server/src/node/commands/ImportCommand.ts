/** `pawl import <folder>`: makes a Project of a local one, with its lock file, and says where it lives. */
import { resolve } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { isSlug } from "@pawl/core/model/Project"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Console, Effect, Option } from "effect"
import type { PawlClient } from "../../api/Client.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { type LocalProject, readLocalProject, slugOf } from "./LocalProject.ts"
import { asking, CannotAsk, remoteOptions, reporting } from "./Remote.ts"

const cannot = (reason: string) => new CannotAsk({ reason })

const reading = (folder: string): Effect.Effect<LocalProject, CannotAsk> =>
  Effect.tryPromise({
    try: () => readLocalProject(folder),
    catch: () => cannot(`${folder} is no folder that can be read`)
  })

/** Paths that are told of many. */
const few = 3

/** Refuses here what the server would refuse after all of it was sent. */
const checked = ({ files }: LocalProject, folder: string): Effect.Effect<void, CannotAsk> => {
  const sizes = Object.entries(files).map(([path, content]) => [path, JSON.stringify(content).length] as const)
  if (sizes.length === 0) return cannot(`${folder} holds no file to send`)
  if (sizes.length > Limits.sourceEntries) return cannot(`a source has at most ${Limits.sourceEntries} files`)
  if (JSON.stringify(files).length + ServerLimits.importRoomBytes < Limits.sourceBodyBytes) return Effect.void
  const largest = sizes.sort(([, a], [, b]) => b - a).slice(0, few)
  const named = largest.map(([path, size]) => `${path} (${(size / 1024 ** 2).toFixed(1)} MiB)`).join(", ")
  return cannot(
    `the files come to more than the ${Limits.sourceBodyBytes / 1024 ** 2} MiB that one request may have; the largest: ${named}. Add what need not be sent to .gitignore, or push the rest with git afterwards`
  )
}

const slugFor = (given: Option.Option<string>, folder: string): Effect.Effect<string, CannotAsk> => {
  const slug = Option.getOrElse(given, () => slugOf(folder))
  return isSlug(slug)
    ? Effect.succeed(slug)
    : cannot(
        `${slug === "" ? "the folder's name" : slug} makes no slug: give --slug, 1 to ${Limits.slugLength} lowercase letters, digits and single inner hyphens`
      )
}

const listed = ({ leftOut }: LocalProject): ReadonlyArray<string> => leftOut.map(({ path, why }) => `  ${path}: ${why}`)

/** The app of a new Project, once it is no longer being built; null when that took too long. */
const outcome = Effect.fnUntraced(function* (client: PawlClient, id: string) {
  for (let waitedMs = 0; waitedMs < ServerLimits.importWaitMs; waitedMs += ServerLimits.importLookMs) {
    const answer = yield* client.apps.get({ params: { id } })
    if (!answer.enabled || (answer.app !== null && answer.app.status !== "building")) return answer
    yield* Effect.sleep(ServerLimits.importLookMs)
  }
  return null
})

const outcomeLines = (answer: Effect.Success<ReturnType<typeof outcome>>, id: string) => {
  if (answer === null)
    return {
      lines: [`${id} is still being built. Packages may be waiting for their registry; the log of the server says so.`],
      exitCode: 1
    }
  const { app } = answer
  if (app === null)
    return { lines: ["This server hosts no apps: the Project is there, and nothing is live."], exitCode: 0 }
  return app.status === "live"
    ? { lines: [`live at ${app.url}`], exitCode: 0 }
    : { lines: [`${id} is not live (${app.status}):`, app.reason ?? ""], exitCode: 1 }
}

const importing = Effect.fnUntraced(function* (
  folder: string,
  slug: string,
  project: LocalProject,
  remote: Parameters<typeof asking>[0]
) {
  const { id } = (yield* asking(remote, (client) =>
    client.projects.create({ payload: { slug, files: project.files } })
  )).project
  yield* Console.log(`${id}: ${Object.keys(project.files).length} file(s) of ${folder}, as ${slug}`)
  const answer = yield* asking(remote, (client) => outcome(client, id))
  return outcomeLines(answer, id)
})

/** Prints what is not sent, the Project, and where its app lives or why it does not. Exits with 1 when it is not live. */
export const importCommand = Command.make(
  "import",
  {
    folder: Argument.String("folder"),
    slug: Flag.String("slug").pipe(
      Flag.optional,
      Flag.withDescription("the name of the Project in addresses (the folder's name)")
    ),
    ...remoteOptions
  },
  ({ folder, slug: given, ...remote }) =>
    reporting(
      Effect.gen(function* () {
        const root = resolve(folder)
        const slug = yield* slugFor(given, root)
        const project = yield* reading(root)
        if (project.leftOut.length > 0) yield* Console.log(["not sent:", ...listed(project)].join("\n"))
        yield* checked(project, folder)
        return yield* importing(folder, slug, project, remote)
      })
    )
).pipe(
  Command.withDescription(
    "Makes a Project of a folder, with its lock file, and waits until it is live; exits with 1 when it is not, 2 when it could not ask"
  )
)
