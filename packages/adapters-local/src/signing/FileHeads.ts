/**
 * `SignedHeads` as files of the data folder, beside its keys: `heads/<project>.json`, and `<project>-2.json` and so on for
 * later epochs. A chain is signed by one process at a time, so no file is written by two.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type SignedHead, SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { SignerUnavailable } from "@pawl/core/provenance/Signer"
import { Effect, Layer, Result, Schema } from "effect"
import { readKey, replaceFile } from "./KeyFiles.ts"

const Kept = Schema.fromJsonString(Schema.Struct({ origin: Schema.String, size: Schema.Finite, root: Schema.String }))
const decode = Schema.decodeUnknownResult(Kept)

const nameOf = (origin: string): string =>
  `${origin.slice(origin.lastIndexOf("/log/") + "/log/".length).replaceAll(/[^a-z0-9_-]/g, "-")}.json`

const unusable = (origin: string, what: string) =>
  new SignerUnavailable({ reason: `what it remembers of ${origin} ${what}` })

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unknown")

/** The heads of a data folder. */
export const layer = ({ data }: { readonly data: string }): Layer.Layer<SignedHeads> =>
  Layer.sync(SignedHeads, () => {
    const folder = join(data, "heads")
    return {
      get: (origin) =>
        Effect.suspend((): Effect.Effect<SignedHead | null, SignerUnavailable> => {
          let text: string | null
          try {
            text = readKey(join(folder, nameOf(origin)))
          } catch (error) {
            return Effect.fail(unusable(origin, `cannot be read (${codeOf(error)})`))
          }
          if (text === null) return Effect.succeed(null)
          const kept = decode(text)
          if (Result.isFailure(kept) || kept.success.origin !== origin)
            return Effect.fail(unusable(origin, "is not what it wrote"))
          return Effect.succeed({ size: kept.success.size, root: kept.success.root })
        }),
      set: (origin, { root, size }) =>
        Effect.try({
          try: () => {
            mkdirSync(folder, { recursive: true, mode: 0o700 })
            replaceFile(join(folder, nameOf(origin)), `${JSON.stringify({ origin, size, root })}\n`)
          },
          catch: (error) => unusable(origin, `cannot be written (${codeOf(error)})`)
        })
    }
  })
