import { globSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pieces } from "../vitest/LongPieces.ts"

const root = join(import.meta.dirname, "../..")

/** Test files as vitest compares them with the parts of a piece: by their paths in their own package. */
const tests = ["packages/*", "tools", "examples", "docs"].flatMap((place) =>
  globSync(place, { cwd: root }).flatMap((folder) => globSync("test/**/*.test.ts", { cwd: join(root, folder) }))
)

it.each(pieces)(
  "$name: each part of a path is one of some test file, or the piece would run nothing of it",
  (piece) => {
    expect(piece.files.filter((part) => !tests.some((test) => test.includes(part)))).toEqual([])
  }
)

it("pieces have names of their own", () => {
  expect(new Set(pieces.map(({ name }) => name)).size).toBe(pieces.length)
})
