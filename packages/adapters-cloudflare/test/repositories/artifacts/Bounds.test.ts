/** What the adapter itself refuses of Artifacts: names, answers that are too long, and what is none of git's. */
import { projectId, scene, tagOf } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { Repositories } from "@pawl/core/project/Repositories"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import * as Doors from "@pawl/adapters-cloudflare/repositories/artifacts/Doors"
import type { Fetch } from "@pawl/adapters-cloudflare/repositories/artifacts/GitRemote"
import { flushLine, lineText, pktLine, pktLinesIn } from "@pawl/adapters-cloudflare/repositories/artifacts/PktLines"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { layer } from "@pawl/adapters-cloudflare/repositories/ArtifactsRepositories"
import { utf8 } from "@pawl/core/primitives/Digest"
import { ArtifactsStandIn } from "./ArtifactsStandIn.ts"

const artifacts = new ArtifactsStandIn()
afterAll(artifacts.remove)

describe("What Artifacts may be asked and may answer", () => {
  it("is no name that Artifacts would not take", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { create, fork } = Doors.make(artifacts.binding, artifacts.fetch)
        for (const name of ["a".repeat(CloudflareLimits.artifactsNameLength + 1), "ab", "A-b-c", "../x", "a_b_c"])
          for (const make of [create(name), fork("source", name)])
            expect([name, yield* tagOf(make)]).toEqual([name, "RepositoriesUnavailable"])
        expect(artifacts.counts.size).toBe(0)
        yield* create("a".repeat(CloudflareLimits.artifactsNameLength))
      })
    ))

  it("is neither too long nor another thing than git's: all else is a failure of its own, without a word of it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        let answer: ((url: string) => Response) | null = null
        const fetch: Fetch = (url, init) =>
          answer === null ? artifacts.fetch(url, init) : Promise.resolve(answer(url))
        const run = <A, E>(use: (repositories: Repositories["Service"]) => Effect.Effect<A, E>) =>
          Effect.provide(Effect.flatMap(Repositories, use), layer({ artifacts: artifacts.binding, fetch }))
        const { project, s0 } = yield* run((each) => scene(each))
        const secret = "<html>secret</html>"
        const answers: ReadonlyArray<() => Response> = [
          () => new Response(secret),
          () => new Response(secret, { status: 500 }),
          () => new Response(secret, { status: 429 }),
          () => new Response(secret, { status: 401 }),
          () => new Response(null, { status: 302, headers: { location: "https://elsewhere.test/" } }),
          () => new Response("00ff cut off"),
          () => new Response(new Uint8Array(CloudflareLimits.artifactsRefsBytes + 1))
        ]
        for (const each of answers) {
          answer = each
          const failure = yield* Effect.flip(run((repositories) => repositories.main(project)))
          expect(failure._tag).toBe("RepositoriesUnavailable")
          expect(failure.message).not.toMatch(/secret|art_v1|elsewhere/)
        }
        // The refs are good, and the pack is none.
        for (const bytes of ["0008NAK\n", "0008NAK\nPACKno", "0011\u0003no such luck"]) {
          answer = null
          const refs = joined([pktLine(`${s0.commit} refs/heads/main\0 side-band-64k\n`), flushLine])
          answer = (url) => new Response(url.includes("info/refs") ? new Uint8Array(refs) : bytes)
          expect(yield* tagOf(run((repositories) => repositories.main(project)))).toBe("RepositoriesUnavailable")
        }
        answer = null
        expect(yield* run((repositories) => repositories.main(project))).toEqual(s0)
      })
    ))
})

describe("A connection to Artifacts that breaks off", () => {
  /** Breaks off the first so many times that a path is asked for, and counts how often it is. */
  const breaking = (path: string, times: number) => {
    const counted = { asked: 0 }
    const fetch: Fetch = (url, init) => {
      if (!url.includes(path)) return artifacts.fetch(url, init)
      counted.asked++
      return counted.asked <= times ? Promise.reject(new TypeError("fetch failed")) : artifacts.fetch(url, init)
    }
    return { counted, repositories: layer({ artifacts: artifacts.binding, fetch }) }
  }

  it("once is no failure where it was a question", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { project, s0 } = yield* Effect.provide(
          Effect.flatMap(Repositories, (each) => scene(each)),
          layer({ artifacts: artifacts.binding, fetch: artifacts.fetch })
        )
        for (const path of ["info/refs", "git-upload-pack"]) {
          const { counted, repositories } = breaking(path, 1)
          const main = Effect.flatMap(Repositories, (each) => each.main(project))
          expect(yield* Effect.provide(main, repositories)).toEqual(s0)
          expect(counted.asked).toBeGreaterThanOrEqual(2)
        }
        const { repositories } = breaking("info/refs", 2)
        const main = Effect.flatMap(Repositories, (each) => each.main(project))
        expect(yield* tagOf(Effect.provide(main, repositories))).toBe("RepositoriesUnavailable")
      })
    ))

  it("is never sent again where it moved something: who pushed asks what became of it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { counted, repositories } = breaking("git-receive-pack", 1)
        yield* Effect.ignore(
          Effect.provide(
            Effect.flatMap(Repositories, (each) => scene(each, projectId(2))),
            repositories
          )
        )
        expect(counted.asked).toBe(1)
      })
    ))
})

describe("Lines of git", () => {
  it("are read as they are written, up to a pack, and not when they are cut off", () => {
    const lines = [pktLine("one\n"), flushLine, pktLine(""), pktLine("é two")]
    const found = pktLinesIn(joined([...lines, utf8("PACK and more")]))
    expect(found?.lines.map(lineText)).toEqual(["one", "", "é two"])
    expect(found?.rest).toEqual(utf8("PACK and more"))
    for (const bad of ["000", "00zz", "0010short", "0003"]) expect(pktLinesIn(utf8(bad))).toBe(null)
  })
})
