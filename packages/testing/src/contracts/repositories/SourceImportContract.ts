/** What every SourceImport promises: the files of a repository as they are, from allowed places alone. */
import { Effect, type Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { FileContent } from "@pawl/core/project/Repositories"
import { type ImportOrigin, SourceImport } from "@pawl/core/project/SourceImport"

/** One repository elsewhere, and what happens to it. */
export interface OriginHands {
  /** Its address: of a host that is allowed. */
  readonly url: string
  /** Makes these the files of a branch; the first that is made is the one that the repository shows. */
  readonly put: (branch: string, files: Readonly<Record<string, FileContent>>) => void
  /** It does not answer as a repository any more. */
  readonly leave: () => void
}

/** How an adapter's test makes a repository for this contract. */
export interface SourceImportFixture {
  /** Runs a program beside an empty repository. */
  readonly play: (program: (hands: OriginHands) => Effect.Effect<unknown, unknown>) => Promise<unknown>
}

const imported = (origin: ImportOrigin) => Effect.flatMap(SourceImport, (source) => Effect.result(source.files(origin)))

/** Imports as a program with this layer does. */
export const importing = (layer: Layer.Layer<never>, origin: ImportOrigin) =>
  Effect.runPromise(Effect.provide(imported(origin), layer))

/** Declares the suite; `name` names the adapter in its title. */
export const sourceImportContract = (name: string, { play }: SourceImportFixture): void => {
  describe(`${name}: SourceImport`, () => {
    const files = {
      "README.md": "# A project\n",
      "public/photo.jpg": { base64: "/9j/4AAQSkZJRgABAQ==" },
      "src/index.ts": "export default {}\n"
    }

    it("takes the files of the branch that is shown, text as text and bytes as bytes", () =>
      play((hands) =>
        Effect.gen(function* () {
          hands.put("main", files)
          hands.put("next", { "other.txt": "other" })
          expect(Result.getOrThrow(yield* imported({ git: hands.url }))).toEqual(files)
        })
      ))

    it("takes those of a branch that is named", () =>
      play((hands) =>
        Effect.gen(function* () {
          hands.put("main", files)
          hands.put("team/next", { "other.txt": "other" })
          const taken = yield* imported({ git: hands.url, ref: "team/next" })
          expect(Result.getOrThrow(taken)).toEqual({ "other.txt": "other" })
        })
      ))

    const refusal = (result: Result.Result<unknown, { readonly _tag: string; readonly message: string }>): string =>
      Result.match(result, { onSuccess: () => "taken", onFailure: ({ _tag, message }) => `${_tag}: ${message}` })

    it("says which branch is not there, and that a repository is not there", () =>
      play((hands) =>
        Effect.gen(function* () {
          hands.put("main", files)
          expect(refusal(yield* imported({ git: hands.url, ref: "nothing" }))).toMatch(/^ImportRefused: .*nothing/)
          expect(refusal(yield* imported({ git: `${hands.url}-missing` }))).toMatch(
            /^ImportRefused: .*no such repository/
          )
        })
      ))

    it("asks no host that is not allowed, and takes no address with credentials, of another scheme or of a file", () =>
      play((hands) =>
        Effect.gen(function* () {
          expect(refusal(yield* imported({ git: "https://elsewhere.test/a/b" }))).toMatch(
            /^ImportRefused: .*elsewhere\.test is not among the hosts that sources are imported from/
          )
          const host = new URL(hands.url).host
          for (const git of [
            `https://user:secret@${host}/a`,
            `ssh://git@${host}/a`,
            `git://${host}/a`,
            `https://${host}/a?x=1`,
            "file:///etc/passwd",
            "ext::sh -c true",
            "--upload-pack=true"
          ]) {
            const told = refusal(yield* imported({ git }))
            expect(told).toMatch(/^ImportRefused: .*https:\/\/host\/path/)
            expect(told).not.toContain("secret")
          }
          for (const ref of ["--all", "a..b", "a:b", "+main", "a b", "x".repeat(201)])
            expect(refusal(yield* imported({ git: hands.url, ref }))).toMatch(/^ImportRefused: .*ref is no name/)
        })
      ))

    it("says that it may be asked again when the other side is away", () =>
      play((hands) =>
        Effect.gen(function* () {
          hands.put("main", files)
          hands.leave()
          expect(refusal(yield* imported({ git: hands.url }))).toMatch(/^ImportUnavailable: /)
        })
      ))
  })
}
