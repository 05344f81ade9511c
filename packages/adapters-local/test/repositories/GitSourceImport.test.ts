import { execFileSync } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as GitSourceImport from "@pawl/adapters-local/repositories/transport/GitSourceImport"
import type { FileContent } from "@pawl/core/project/Repositories"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  importing,
  type OriginHands,
  sourceImportContract
} from "@pawl/testing/contracts/repositories/SourceImportContract"
import { Effect, Layer, Result } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type GitHost, gitHost } from "./GitHost.ts"

const root = mkdtempSync(join(tmpdir(), "imports-"))
const directory = join(root, "repositories")
let host: GitHost
let made = 0

beforeAll(async () => {
  host = await gitHost(Array.from({ length: 24 }, (_, n) => `team/${n}`))
  mkdirSync(directory)
})
beforeEach(() => {
  host.authorization = null
  host.instead = null
  host.asked.length = 0
})
afterAll(async () => {
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

const layer = (bounds: { packBytes?: number } = {}) =>
  GitSourceImport.layer({ hosts: [new URL(host.origin).host], ...bounds }).pipe(
    Layer.provide(Layer.succeed(GitPlace, { root: directory, brought: () => Effect.void }))
  )

/** Commits what `make` puts into a folder as a branch of a repository. */
const commit = (repository: string, branch: string, make: (folder: string) => void): void => {
  const folder = mkdtempSync(join(root, "work-"))
  make(folder)
  const index = { ...process.env, GIT_INDEX_FILE: join(root, `index-${randomUUID()}`), GIT_CONFIG_GLOBAL: "/dev/null" }
  const gitDir = join(host.root, repository)
  execFileSync("git", [`--git-dir=${gitDir}`, `--work-tree=${folder}`, "add", "-A", "."], { env: index, cwd: folder })
  const tree = execFileSync("git", [`--git-dir=${gitDir}`, "write-tree"], { env: index, encoding: "utf8" }).trim()
  host.git(repository, ["update-ref", `refs/heads/${branch}`, host.git(repository, ["commit-tree", "-m", "x", tree])])
}

const writing =
  (files: Readonly<Record<string, FileContent>>) =>
  (folder: string): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), typeof content === "string" ? content : Buffer.from(content.base64, "base64"))
    }
  }

const fresh = () => {
  const repository = `team/${made++}`
  const hands: OriginHands = {
    url: `${host.origin}/${repository}`,
    put: (branch, files) => commit(repository, branch, writing(files)),
    leave: () => void (host.instead = { status: 503 })
  }
  return { repository, hands }
}

sourceImportContract("git over http", {
  play: (program) => Effect.runPromise(Effect.provide(program(fresh().hands), layer()))
})

const refusal = async (git: string, given = layer()): Promise<string> =>
  Result.match(await importing(given, { git }), {
    onSuccess: (files) => `taken: ${Object.keys(files).join(" ")}`,
    onFailure: ({ _tag, message }) => `${_tag}: ${message}`
  })

describe("An import over http", () => {
  it("names the link, the submodule and the file in LFS that it does not take", async () => {
    const cases: ReadonlyArray<readonly [(repository: string) => void, RegExp]> = [
      [
        (repository) => commit(repository, "main", (folder) => symlinkSync("/etc/passwd", join(folder, "secrets"))),
        /InvalidPath: .*secrets.*symbolic link/
      ],
      [
        (repository) => {
          commit(repository, "main", writing({ "a.txt": "a" }))
          const tree = host.git(repository, ["mktree", "--missing"], `160000 commit ${"a".repeat(40)}\tlibrary\n`)
          host.git(repository, [
            "update-ref",
            "refs/heads/main",
            host.git(repository, ["commit-tree", "-m", "x", tree])
          ])
        },
        /InvalidPath: .*library.*submodule/
      ],
      [
        (repository) =>
          commit(
            repository,
            "main",
            writing({ "film.mp4": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n" })
          ),
        /InvalidPath: .*film\.mp4.*Git LFS/
      ]
    ]
    for (const [make, words] of cases) {
      const { hands, repository } = fresh()
      make(repository)
      expect(await refusal(hands.url)).toMatch(words)
    }
  })

  it("takes no more files, and no larger ones, than a source may have", async () => {
    const { hands, repository } = fresh()
    commit(repository, "main", (folder) =>
      writeFileSync(join(folder, "zeros"), Buffer.alloc(Limits.sourceFileBytes + 1))
    )
    expect(await refusal(hands.url)).toMatch(/^TreeTooLarge: /)
    const many = fresh()
    const blob = host.git(many.repository, ["hash-object", "-w", "--stdin"], "x")
    const names = Array.from({ length: Limits.sourceEntries + 1 }, (_, n) => `100644 blob ${blob}\tf${n}\n`)
    const tree = host.git(many.repository, ["mktree"], names.join(""))
    host.git(many.repository, [
      "update-ref",
      "refs/heads/main",
      host.git(many.repository, ["commit-tree", "-m", "x", tree])
    ])
    expect(await refusal(many.hands.url)).toMatch(/^TreeTooLarge: /)
  })

  it("ends when the pack grows beyond its bound, and leaves nothing", async () => {
    const { hands, repository } = fresh()
    // What is random does not become smaller.
    commit(repository, "main", (folder) => {
      for (let n = 0; n < 9; n++) writeFileSync(join(folder, `${n}`), randomBytes(256 * 1024))
    })
    expect(await refusal(hands.url, layer({ packBytes: 1024 * 1024 }))).toMatch(/^ImportRefused: .*more than 1 MiB/)
    expect(readdirSync(join(directory, ".serving"))).toEqual([])
  })

  it("follows no redirect, sends no credentials, and says that nobody may read what asks for some", async () => {
    const { hands } = fresh()
    let led = 0
    const elsewhere: Server = createServer((_request, response) => {
      led++
      response.end()
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve))
    try {
      const address = elsewhere.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      host.instead = { status: 302, headers: { location: `http://127.0.0.1:${port}/team/x/info/refs` } }
      expect(await refusal(hands.url)).toMatch(/^ImportRefused: .*redirects/)
      expect(led).toBe(0)
    } finally {
      await new Promise((resolve) => elsewhere.close(resolve))
    }
    host.instead = null
    host.authorization = "Basic something"
    expect(await refusal(hands.url)).toMatch(/^ImportRefused: .*pawl import/)
    expect(host.asked.map(({ authorization }) => authorization)).toEqual(host.asked.map(() => null))
  })

  it("says that a repository without a commit is empty", async () => {
    expect(await refusal(fresh().hands.url)).toMatch(/^ImportRefused: .*empty/)
  })
})
