/** Serves a clone or a fetch: a repository of nothing but refs is made for each request, and `upload-pack` run on it. */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { Effect } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { absent, unless } from "../../objects/DurableFile.ts"
import { complaint, programOf } from "../GitCommand.ts"
import { bareConfig, exists } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import { present } from "../GitLookup.ts"
import type { GitTransport } from "./GitTransport.ts"
import { isObjectId, repositoryPath } from "../RepositoryPath.ts"
import { killGroup } from "../../ProcessGroup.ts"

type Service = typeof GitTransport.Service
type Serve = Parameters<Service["serve"]>[0]

/** Where the repositories of nothing but refs stand, each made for one answer. */
export const folderOf = (root: string): string => join(root, ".serving")

/** Removes what ended processes left. Of a folder that others share, only what is older than any answer may take. */
export const sweepServing = async (root: string, shared: boolean): Promise<void> => {
  const folder = folderOf(root)
  for (const name of await unless(readdir(folder), absent, [])) {
    const path = join(folder, name)
    const made = shared ? await unless(stat(path), absent, undefined) : undefined
    if (shared && (made === undefined || Date.now() - made.mtimeMs < 2 * LocalLimits.gitServeMs)) continue
    await rm(path, { recursive: true, force: true })
  }
}

/** Which settings of `upload-pack` are in force: what costs little of a partial clone, and no more. */
const settings = [
  "uploadpack.allowFilter=true",
  "uploadpackfilter.allow=false",
  "uploadpackfilter.blob:none.allow=true",
  "uploadpackfilter.blob:limit.allow=true",
  "pack.threads=1"
]

/** Writes the view: its refs, and from whom it borrows. */
export const write = async (
  view: string,
  refs: ReadonlyMap<string, string>,
  lenders: Iterable<string>
): Promise<void> => {
  for (const folder of ["objects/info", "refs/heads"]) await mkdir(join(view, folder), { recursive: true, mode: 0o700 })
  const objects = join(view, "objects")
  const alternates = Array.from(lenders, (gitDir) => `${relative(objects, join(gitDir, "objects"))}\n`)
  await writeFile(join(objects, "info/alternates"), alternates.join(""))
  await writeFile(join(view, "packed-refs"), Array.from(refs, ([name, commit]) => `${commit} ${name}\n`).join(""))
  await writeFile(join(view, "config"), bareConfig)
  await writeFile(join(view, "HEAD"), "ref: refs/heads/main\n")
}

const broken = (reason: string) => new RepositoriesUnavailable({ operation: "upload-pack", reason })

/** Runs `upload-pack` into the answer. It, and the `pack-objects` that it starts, are dead when this ends. */
const answer = (view: string, { greeting, into, request, version }: Omit<Serve, "project" | "refs">) =>
  Effect.callback<void, RepositoriesUnavailable>((resume) => {
    // What it starts in its turn must be ended with it: a fork of this process, in a group of its own.
    const { args, cwd, env, file } = programOf({
      gitDir: view,
      args: [
        "upload-pack",
        "--strict",
        "--stateless-rpc",
        ...(request === null ? ["--http-backend-info-refs"] : []),
        view
      ],
      env: version === 0 ? {} : { GIT_PROTOCOL: `version=${version}` },
      settings
    })
    const child = spawn(file, args, { cwd, env, stdio: "pipe", detached: true })
    let stderr = ""
    const stop = () => {
      child.stdout.unpipe(into)
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
    }
    const end = (how: Effect.Effect<void, RepositoriesUnavailable>) => {
      stop()
      resume(how)
    }
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < LocalLimits.gitErrorBytes) stderr += text
    })
    child.stdin.on("error", () => undefined)
    child.once("error", () => end(broken("it did not start")))
    // What git refuses it tells the client itself, and ends with 128.
    child.once("close", (code) =>
      end(code === 0 || code === 128 ? Effect.void : broken(`exit ${code}: ${complaint(stderr)}`))
    )
    child.once("spawn", () => into.write(greeting))
    child.stdout.pipe(into, { end: false })
    child.stdin.end(request ?? new Uint8Array())
    return Effect.sync(stop)
  }).pipe(
    Effect.timeoutOrElse({
      duration: LocalLimits.gitServeMs,
      orElse: () => Effect.fail(broken("it took too long"))
    })
  )

/** `GitTransport.serve`: the repository of refs is removed with the answer. */
export const serve =
  (root: string): Service["serve"] =>
  ({ project, refs, ...asked }) =>
    Effect.gen(function* () {
      const canonical = yield* repositoryPath(root, { project })
      yield* present(canonical)
      const lenders = new Set([canonical.gitDir])
      const shown = new Map<string, string>()
      for (const { at, commit, name } of refs) {
        const { gitDir } = yield* repositoryPath(root, at)
        if (!isObjectId(commit) || !(yield* io("open", () => exists(gitDir)))) continue
        shown.set(name, commit)
        lenders.add(gitDir)
      }
      const view = join(folderOf(root), randomUUID())
      yield* Effect.acquireUseRelease(
        io("serve", () => write(view, shown, lenders)),
        () => answer(view, asked),
        () => Effect.promise(() => rm(view, { recursive: true, force: true }).catch(() => undefined))
      )
    })
