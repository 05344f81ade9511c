import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Logger, Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import {
  canonicalRemoteContract,
  type RemoteHands,
  threeGenerations
} from "@pawl/testing/contracts/release/CanonicalRemoteContract"
import type { Repositories } from "@pawl/core/project/Repositories"
import { CanonicalRemote } from "@pawl/core/release/CanonicalRemote"
import * as GitRemote from "@pawl/adapters-local/repositories/transport/GitRemote"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import { basic, type GitHost, gitHost } from "./GitHost.ts"

const root = mkdtempSync(join(tmpdir(), "remotes-"))
const secret = "a-secret-token"
let host: GitHost
let count = 0

beforeAll(async () => {
  host = await gitHost(Array.from({ length: 12 }, (_, n) => `team/${n}.git`))
})
beforeEach(() => {
  host.authorization = basic("x-access-token", secret)
  host.instead = null
  host.asked.length = 0
})
afterAll(async () => {
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

const access = (url = `${host.origin}/team`): GitRemote.RemoteAccess => ({
  url,
  token: { user: "x-access-token", password: Redacted.make(secret) },
  sshKeyFile: null
})

interface Scene {
  readonly hands: RemoteHands
  readonly directory: string
  readonly repository: string
}

/** Fresh repositories beside an empty remote. */
const play = (
  program: (scene: Scene) => Effect.Effect<unknown, unknown, Repositories>,
  given: () => GitRemote.RemoteAccess = access
) => {
  const n = count++
  const [directory, repository] = [join(root, `${n}`), `team/${n}.git`]
  const main = () => {
    const found = host.git(repository, ["for-each-ref", "--format=%(objectname)", "refs/heads/main"])
    return found === "" ? null : found
  }
  const hands: RemoteHands = {
    url: `${host.origin}/${repository}`,
    main,
    overwrite: () => {
      const tree = host.git(repository, ["mktree"])
      const commit = host.git(repository, ["commit-tree", "-m", "theirs", tree])
      host.git(repository, ["update-ref", "refs/heads/main", commit])
      return commit
    },
    refuse: () => void (host.authorization = "another"),
    leave: () => void (host.instead = { status: 503 })
  }
  return Effect.runPromise(
    program({ hands, directory, repository }).pipe(
      Effect.provide(GitRemote.layer(given())),
      Effect.provide(GitRepositories.layer({ directory })),
      Effect.provide(Logger.layer([]))
    )
  )
}

canonicalRemoteContract("git over http", { play: (program) => play(({ hands }) => program(hands)) })

describe("A push of canonical main over http", () => {
  /** S2, and what becomes of pushing it to an address. */
  const line = Effect.gen(function* () {
    const { project, two } = yield* threeGenerations
    const remote = yield* CanonicalRemote
    return { project, two, pushed: (url: string) => Effect.result(remote.push({ project, remote: url, commit: two })) }
  })

  it("brings every commit, and nothing but main", () =>
    play(({ hands, repository }) =>
      Effect.gen(function* () {
        const { pushed, two } = yield* line
        yield* pushed(hands.url)
        expect(host.git(repository, ["for-each-ref", "--format=%(refname) %(objectname)"])).toBe(
          `refs/heads/main ${two}`
        )
        expect(host.git(repository, ["fsck", "--full", "--strict"])).toBe("")
        expect(host.git(repository, ["show", "main:2.txt"])).toBe("2")
      })
    ))

  it("tells nobody the token: not the remote's address, no error, and no remote under another address", () =>
    play(({ hands }) =>
      Effect.gen(function* () {
        const { pushed } = yield* line
        yield* pushed(hands.url)
        expect(host.asked.length).toBeGreaterThan(0)
        for (const { url, authorization } of host.asked) {
          expect(url).not.toContain(secret)
          expect(authorization).toBe(basic("x-access-token", secret))
        }
        host.asked.length = 0
        for (const other of [`${host.origin}/elsewhere/0.git`, `${host.origin}/team2/0.git`, "ssh://host/team/0.git"]) {
          expect(yield* pushed(other)).toMatchObject({ failure: { _tag: "RemoteRefused" } })
        }
        expect(host.asked).toEqual([])
        host.authorization = "another"
        const outcome = yield* pushed(hands.url)
        expect(outcome).toMatchObject({ failure: { _tag: "RemoteRefused" } })
        expect(JSON.stringify(outcome)).not.toContain(secret)
        expect(JSON.stringify(outcome)).not.toContain(Buffer.from(secret).toString("base64").slice(0, 12))
      })
    ))

  it("follows no redirect", () =>
    play(({ hands }) =>
      Effect.gen(function* () {
        host.instead = {
          status: 302,
          headers: { location: `${host.origin}/elsewhere/info/refs?service=git-receive-pack` }
        }
        const { pushed } = yield* line
        expect(yield* pushed(hands.url)).toMatchObject({
          failure: { _tag: "RemoteRefused", reason: expect.stringContaining("redirects") }
        })
        expect(host.asked.filter(({ url }) => url.startsWith("/elsewhere"))).toEqual([])
      })
    ))

  it("runs no hook and heeds no setting of the repository, and leaves nothing behind", () =>
    play(({ directory, hands }) =>
      Effect.gen(function* () {
        const { project, pushed, two } = yield* line
        const canonical = join(directory, project.slice(5, 7), project, "canon.git")
        const proof = join(directory, "proof")
        mkdirSync(join(canonical, "hooks"), { recursive: true })
        for (const hook of ["pre-push", "reference-transaction", "post-index-change"]) {
          writeFileSync(join(canonical, "hooks", hook), `#!/bin/sh\ntouch ${proof}\n`)
          chmodSync(join(canonical, "hooks", hook), 0o755)
        }
        appendFileSync(
          join(canonical, "config"),
          `[url "ext::sh -c 'touch ${proof}' "]\n\tinsteadOf = http\n[credential]\n\thelper = !touch ${proof}\n[core]\n\tsshCommand = touch ${proof}\n\thooksPath = ${join(canonical, "hooks")}\n[http]\n\tproxy = http://127.0.0.1:1\n`
        )
        const outcome = yield* pushed(hands.url)
        expect(outcome._tag).toBe("Success")
        expect(hands.main()).toBe(two)
        expect(existsSync(proof)).toBe(false)
        expect(readdirSync(join(directory, ".serving"))).toEqual([])
      })
    ))
})
