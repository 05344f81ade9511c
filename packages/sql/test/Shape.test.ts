/** A shape that changes without a step of its own would be taken for the one before by whoever asks who is older. */
import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { expansions } from "@pawl/sql/Expansions"
import { transitions } from "@pawl/sql/RecordTables"
import { allTables } from "@pawl/sql/Tables"

/** All that a database holds beside what the numbered steps make. */
const records = createHash("sha256")
  .update(
    JSON.stringify([
      allTables.map(({ columns, name, statusIndex, unique }) => [name, columns, unique, statusIndex]),
      transitions
    ])
  )
  .digest("hex")
  .slice(0, 16)

it("is pinned: who changes a kind of record, its columns or its life adds an expansion (an empty one will do) and pins both here", () => {
  expect({ expansions: expansions.length, records }).toEqual({ expansions: 16, records: "dc8e82bea38fb3ad" })
})
