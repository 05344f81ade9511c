import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { entityOf, kinds } from "@pawl/core/model/Entities"
import { namesOf } from "@pawl/sql/NewerFields"
import { table } from "@pawl/sql/Tables"
import { recordDigest } from "@pawl/core/provenance/RecordDigest"
import { change } from "@pawl/testing/tools/StoreFixtures"

const later = { afterwards: null, "later one": [{ deep: '"}' }] }

const newer = JSON.stringify({ ...JSON.parse(table("change").encode(change(1))), ...later })

const read = Result.getOrThrow(table("change").decode(newer)) as ReturnType<typeof change>

describe("a row that a newer version wrote", () => {
  it.each(kinds)("has fields that are told from those of this version when it keeps a %s", (kind) => {
    const names = namesOf(entityOf(kind).schema)
    expect(names?.size).toBeGreaterThan(0)
  })

  it("is read as a record of this version", () => {
    const own = change(1)
    expect(Object.keys(read)).toEqual(Object.keys(own))
    expect(recordDigest("change", read)).toBe(recordDigest("change", own))
    expect(Schema.encodeUnknownSync(entityOf("change").schema)(read)).not.toHaveProperty("afterwards")
  })

  it("keeps what this version does not know through a change of the record, once", () => {
    const { decode, encode } = table("change")
    const again = encode({ ...read, goal: "another goal" })
    expect(JSON.parse(again)).toEqual({ ...JSON.parse(newer), goal: "another goal" })
    const third = encode({ ...(Result.getOrThrow(decode(again)) as object), goal: read.goal })
    expect(JSON.parse(third)).toEqual(JSON.parse(newer))
    expect(third.match(/afterwards/g)).toHaveLength(1)
  })
})
