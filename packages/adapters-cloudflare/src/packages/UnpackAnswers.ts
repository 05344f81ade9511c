/**
 * What runs inside the Worker that unpacks: archives by whoever published them, with the code of a machine. It has no
 * network and no binding, and is dropped after the packages of one call.
 */
import { type ExpectedPackage, unpack } from "@pawl/adapters-local/packages/Tarball"
import { factsOf } from "@pawl/adapters-local/packages/PackageFacts"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { Effect, Result } from "effect"
import type { UnpackAnswer } from "./UnpackMessages.ts"

/** Unpacks one archive to at most `maxBytes`. */
export const unpacked = (archive: Uint8Array, expected: ExpectedPackage, maxBytes: number): Promise<UnpackAnswer> =>
  Effect.runPromise(
    unpack(archive, expected, maxBytes).pipe(
      Effect.map((found): UnpackAnswer => {
        const facts = factsOf(found, expected)
        if (Result.isFailure(facts)) return { _tag: "WrongPrograms", words: facts.failure }
        const files = new Map(found.files.map(({ content, path }) => [path, content]))
        const contents = facts.success.files.map((path) => files.get(path) ?? new Uint8Array())
        return {
          _tag: "Unpacked",
          facts: facts.success,
          lengths: contents.map(({ length }) => length),
          content: joined(contents)
        }
      }),
      Effect.catchTag("PackagesRefused", ({ problems }) => Effect.succeed<UnpackAnswer>({ _tag: "Refused", problems }))
    )
  )
