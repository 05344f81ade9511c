import { describe, expect, it } from "vitest"
import { definitionsOf } from "@pawl/core/project/Source"
import { checksOfPackage, parsePawlFile } from "@pawl/core/project/PawlFile"

describe("pawl.json", () => {
  it("fills in what is left out", () => {
    const parsed = parsePawlFile(
      '{ "checks": [{ "id": "test", "command": "node --test" }], "probes": [{ "path": "/" }] }'
    )
    expect(parsed).toMatchObject({
      success: { checks: [{ id: "test", required: true, timeoutMs: 300_000 }], probes: [{ path: "/", status: 200 }] }
    })
  })

  it.each([
    ["{", "JSON"],
    ['{ "checks": [{ "id": "build", "command": "x" }] }', "taken"],
    ['{ "checks": [{ "id": "No", "command": "x" }] }', "a-z"],
    ['{ "checks": [{ "id": "a", "command": "" }] }', "command"],
    ['{ "checks": [{ "id": "a", "command": "x" }, { "id": "a", "command": "y" }] }', "same id"],
    ['{ "checks": [{ "id": "a", "command": "x", "timeoutMs": 0 }] }', "timeoutMs"],
    ['{ "build": {} }', "command"],
    ['{ "build": { "command": "" } }', "command"],
    ['{ "build": "vite build" }', "build"],
    ...["", ".", "..", "/dist", "dist/", "a/../b", "a//b", "node_modules", "a/node_modules/b", "dist/*", "a\\\\b"].map(
      (output): [string, string] => [`{ "build": { "command": "x", "output": "${output}" } }`, "output"]
    ),
    ['{ "probes": [{ "path": "x" }] }', "starts with /"],
    ['{ "probes": [{ "path": "/", "status": 99 }] }', "status"]
  ])("refuses %s and says why", (text, word) => {
    const parsed = parsePawlFile(text)
    expect(parsed._tag).toBe("Failure")
    expect(parsed._tag === "Failure" ? parsed.failure : "").toContain(word)
  })

  it("has a build command, with or without the folder of its output", () => {
    for (const build of [{ command: "vite build" }, { command: "vite build", output: "dist/client" }])
      expect(parsePawlFile(JSON.stringify({ build }))).toMatchObject({ success: { build } })
    expect(parsePawlFile("{}")).toMatchObject({ success: { checks: [] } })
  })

  it("that is no JSON is refused with the place where it ends to be, and not repeated", () => {
    const parsed = parsePawlFile(`{ "checks": [${" ".repeat(10_000)}\n;] }`)
    const reason = parsed._tag === "Failure" ? parsed.failure : ""
    expect(reason).toContain("JSON")
    expect(reason.length).toBeLessThan(200)
    expect(parsePawlFile("{")).toMatchObject({ failure: expect.stringContaining("position 1") })
  })

  it("refuses a command with a NUL, which no shell can be given", () => {
    const text = JSON.stringify({ checks: [{ id: "a", command: "echo a\0b" }] })
    expect(parsePawlFile(text)).toMatchObject({
      _tag: "Failure",
      failure: expect.stringContaining("a command holds no NUL")
    })
  })

  it("nested deeper than 64 levels is refused with that reason, however deep", () => {
    const refused = { failure: "it is nested deeper than 64 levels" }
    for (const levels of [64, 1_000_000])
      expect(parsePawlFile(`{"checks":${"[".repeat(levels)}${"]".repeat(levels)}}`)).toMatchObject(refused)
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    expect(checksOfPackage(`{"scripts":{"test":"node --test"},"deep":${deep}}`)).toHaveLength(1)
    expect(checksOfPackage(`{"scripts":{"test":${deep}}}`)).toEqual([])
  })

  it("gives way to the scripts typecheck and test of package.json when there is none", () => {
    expect(
      checksOfPackage('{ "scripts": { "test": "node --test", "build": "x", "typecheck": "tsc" } }').map((check) => [
        check.id,
        check.command
      ])
    ).toEqual([
      ["typecheck", "tsc"],
      ["test", "node --test"]
    ])
    expect(checksOfPackage("nonsense")).toEqual([])
    expect(definitionsOf(null, null)).toMatchObject({ file: { checks: [], probes: [{ path: "/", status: 200 }] } })
    expect(definitionsOf("{", null)._tag).toBe("Broken")
  })
})
