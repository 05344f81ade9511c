/**
 * `CanonicalRemote` by git's own push. It runs in a repository of nothing but a ref, made for this errand, so that no
 * settings and hooks of a repository are in force; only the scheme of the address is allowed, redirects are not followed,
 * and the credentials stand in git's environment, never among its arguments. What a remote says is read for its kind of
 * failure and told in our own words.
 */
import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import {
  CanonicalRemote,
  type CanonicalRemoteShape,
  RemoteDiverged,
  type RemoteFault,
  RemoteRefused,
  RemoteUnavailable
} from "@pawl/core/release/CanonicalRemote"
import { isUnder, remoteUrl } from "@pawl/core/model/RemoteUrl"
import { Effect, Layer, Redacted } from "effect"
import { type GitResult, short } from "../GitCommand.ts"
import { exists } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import { isAncestor } from "../GitMerge.ts"
import { GitPlace } from "../GitPlace.ts"
import { folderOf, write } from "./GitFetch.ts"
import { isObjectId, repositoryPath } from "../RepositoryPath.ts"

/** Where this installation may push, and as whom. */
export interface RemoteAccess {
  /** The address that remotes lie under, in the form that `remoteUrl` gives. */
  readonly url: string
  /** For https, sent to addresses under `url` alone. */
  readonly token: { readonly user: string; readonly password: Redacted.Redacted } | null
  /** A private key, for ssh; null: the keys of the operator's agent. */
  readonly sshKeyFile: string | null
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`

/** Host keys must be known already, by the `known_hosts` of whom this runs as; nobody is asked anything. */
const sshCommand = (keyFile: string | null): string =>
  [
    "ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=20",
    "-o ClearAllForwardings=yes -o PermitLocalCommand=no",
    ...(keyFile === null ? [] : [`-o IdentitiesOnly=yes -o IdentityAgent=none -i ${quoted(keyFile)}`])
  ].join(" ")

const environment = ({ sshKeyFile, token, url }: RemoteAccess): Readonly<Record<string, string>> => {
  const scheme = url.slice(0, url.indexOf(":"))
  const agent = process.env["SSH_AUTH_SOCK"]
  if (scheme === "ssh")
    return {
      GIT_ALLOW_PROTOCOL: scheme,
      GIT_SSH_COMMAND: sshCommand(sshKeyFile),
      GIT_SSH_VARIANT: "ssh",
      ...(sshKeyFile === null && agent !== undefined ? { SSH_AUTH_SOCK: agent } : {})
    }
  if (token === null) return { GIT_ALLOW_PROTOCOL: scheme }
  const credentials = Buffer.from(`${token.user}:${Redacted.value(token.password)}`).toString("base64")
  return {
    GIT_ALLOW_PROTOCOL: scheme,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${url}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`
  }
}

/** A remote that is slower than this for this long is away: bytes a second, and seconds. */
const settings = [
  "http.followRedirects=false",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "push.default=nothing"
]

const refusals: ReadonlyArray<readonly [RegExp, string]> = [
  [/Authentication failed|could not read (?:Username|Password)|error: 401/i, "it takes no credentials of ours"],
  [/error: 403|Permission .*denied|protected branch|\[remote rejected\]/i, "it does not let us push"],
  [/error: 404|repository .*not found|does not appear to be a git repository/i, "there is no such repository for us"],
  [/Host key verification failed/i, "its ssh host key is not among the known hosts"],
  [/error: 30\d|redirect/i, "it redirects elsewhere, which is not followed"],
  [/transport '.*' not allowed/i, "its scheme is not allowed"]
]

/** What a git that ended badly met, by the kind of its complaint. */
const faultOf = ({ code, stderr, stdout }: GitResult): RemoteFault => {
  const said = `${stderr}\n${stdout.toString("utf8")}`
  const found = refusals.find(([pattern]) => pattern.test(said))
  if (found !== undefined) return new RemoteRefused({ reason: found[1] })
  const status = /error: (5\d\d)\b/.exec(said)?.[1]
  return new RemoteUnavailable({
    reason: status === undefined ? `git push ended with ${code}` : `it answered ${status}`
  })
}

const unavailable = (error: RepositoriesUnavailable) => new RemoteUnavailable({ reason: error.reason })

interface Errand {
  readonly view: string
  readonly remote: string
  readonly commit: string
  readonly access: RemoteAccess
}

const ask = ({ access, view }: Errand, args: ReadonlyArray<string>) =>
  short({ gitDir: view, args, env: environment(access), settings }).pipe(Effect.mapError(unavailable))

/** The commit of the remote's `main`; null when it has none. */
const mainOf = Effect.fnUntraced(function* (errand: Errand): Effect.fn.Return<string | null, RemoteFault> {
  const result = yield* ask(errand, ["ls-remote", "--", errand.remote, "refs/heads/main"])
  if (result.code !== 0) return yield* faultOf(result)
  const main = result.stdout.toString("latin1").slice(0, 40)
  return isObjectId(main) ? main : null
})

/** How the remote's `main` stands to the commit. What canonical does not hold came from elsewhere. */
const standing = ({ commit, view }: Errand, main: string): Effect.Effect<"there" | "behind" | "apart", RemoteFault> =>
  Effect.gen(function* () {
    if (main === commit) return "there"
    const known = yield* short({ gitDir: view, args: ["cat-file", "-e", `${main}^{commit}`] })
    if (known.code !== 0) return "apart"
    if (yield* isAncestor(view, commit, main)) return "there"
    return (yield* isAncestor(view, main, commit)) ? "behind" : "apart"
  }).pipe(Effect.mapError(unavailable))

const pushing = (errand: Errand): Effect.Effect<void, RemoteFault> =>
  Effect.gen(function* () {
    const { commit, remote } = errand
    const main = yield* mainOf(errand)
    const stands = main === null ? "behind" : yield* standing(errand, main)
    if (stands === "there") return
    if (main !== null && stands === "apart") return yield* new RemoteDiverged({ main })
    const args = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--no-recurse-submodules"]
    const result = yield* ask(errand, [...args, "--", remote, `${commit}:refs/heads/main`])
    if (result.code === 0) return
    // Its main moved since it was asked: what it is now is seen next time.
    if (/\[rejected\]|cannot lock ref|failed to update ref/.test(result.stdout.toString("utf8")))
      return yield* new RemoteUnavailable({ reason: "its main moved meanwhile" })
    return yield* faultOf(result)
  })

const make = ({ brought, root }: typeof GitPlace.Service, access: RemoteAccess): CanonicalRemoteShape => ({
  push: ({ commit, project, remote }) =>
    Effect.gen(function* () {
      const url = remoteUrl(remote)
      if (url === null || !isUnder(url, access.url))
        return yield* new RemoteRefused({ reason: "its address is not under PAWL_TARGET_GIT_URL" })
      yield* Effect.mapError(brought([{ project }]), unavailable)
      const canonical = yield* repositoryPath(root, { project })
      if (
        !isObjectId(commit) ||
        !(yield* io("open", () => exists(canonical.gitDir)).pipe(Effect.mapError(unavailable)))
      )
        return yield* new RemoteUnavailable({ reason: "canonical main is not there" })
      const view = join(folderOf(root), randomUUID())
      const errand = { view, remote: url, commit, access }
      yield* Effect.acquireUseRelease(
        io("push", () => write(view, new Map([["refs/heads/main", commit]]), [canonical.gitDir])).pipe(
          Effect.mapError(unavailable)
        ),
        () => pushing(errand),
        () => Effect.promise(() => rm(view, { recursive: true, force: true }).catch(() => undefined))
      )
    }).pipe(Effect.scoped, Effect.withSpan("GitRemote.push", { attributes: { project } }))
})

/** Pushes from the repositories of this machine. */
export const layer = (access: RemoteAccess): Layer.Layer<never, never, GitPlace> =>
  Layer.effect(
    CanonicalRemote,
    Effect.map(GitPlace, (place) => make(place, access))
  )
