import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventTypes } from "@pawl/core/model/Event"
import { handlers } from "@pawl/core/worker/Handlers"
import { openApiDocument } from "@pawl/server/api"
import { routeOf } from "../../src/git/GitRoutes.ts"
import { document, root } from "./Documents.ts"

const operations: ReadonlyArray<string> = Object.entries(openApiDocument.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method} ${path}`)
)
const offers = (part: string): boolean => operations.some((operation) => operation.includes(part))
const handles = (kind: string): boolean => Object.keys(handlers).includes(kind)

/** What the README says is missing, and how one sees that it is there after all. */
const claims: ReadonlyArray<readonly [words: string, isThere: boolean]> = [
  ["**Planner and agents.**", existsSync(join(root, "packages/server/src/models/ModelPorts.ts"))],
  ["**Rollback.**", offers("/rollback")],
  ["**Archiving a Project and removing an app.**", offers("delete /v1/projects/{id}") || handles("app.remove")],
  ["**Clean-up.**", handles("forks.sweep") || handles("project.cleanup")],
  ["**Failure injection,", offers("/inject-failure") || handles("release.recover") || offers("/webhooks")],
  ["**Automatic promotion", handles("candidate.recompose")],
  ["There is no Helm chart", existsSync(join(root, "deploy/chart/Chart.yaml"))],
  ["git over HTTP", "service" in routeOf("GET", `/git/proj_${"0".repeat(36)}.git/info/refs?service=git-upload-pack`)]
]

describe("The README", () => {
  const text = document("README.md").text

  it.each(claims)("says that something is missing exactly as long as it is: %s", (words, isThere) => {
    expect(text.includes(words)).toBe(!isThere)
  })

  it("leaves no endpoint out of the reference", () => {
    const reference = document("docs/reference/api.md").text
    const unnamed = operations.filter((operation) => {
      const [method = "", path = ""] = operation.split(" ")
      return !reference.includes(`### ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}\n`)
    })
    expect(operations.length).toBeGreaterThan(30)
    expect(unnamed).toEqual([])
  })

  it("leaves no type of event out of the reference", () => {
    const reference = document("docs/reference/events.md").text
    expect(eventTypes.filter((type) => !reference.includes(`| \`${type}\` |`))).toEqual([])
  })
})
