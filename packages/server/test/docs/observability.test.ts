import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { all, make } from "@pawl/core/telemetry/Meters"
import { processMeters } from "../../src/node/telemetry/MetricsEndpoint.ts"
import { document, root } from "./Documents.ts"

const { text } = document("docs/operating/observability.md")

/** Not told of, whatever they are. */
const hidden = ["EventRouter.apply"]

const spansInCode = new Set(
  globSync("packages/*/src/**/*.ts", { cwd: root }).flatMap((path) =>
    Array.from(
      readFileSync(join(root, path), "utf8").matchAll(
        /(?:withSpan\(|useSpan\(|Effect\.fn\(|tracer\.span\(\{\s*name:)\s*["`]([^"`]+)["`]/g
      ),
      (match) => match[1]!.replace("${method} ${route}", "<method> <route>")
    )
  )
)

describe("The page about observability", () => {
  it("has a row for every metric, with its type and its labels, and no other", () => {
    const rows = [...text.matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|([^|]*)\|/gm)].map((match) => ({
      name: match[1]!,
      type: match[2]!,
      labels: [...match[3]!.matchAll(/`([a-z]+)`/g)].map((label) => label[1]!)
    }))
    const meters = [...all(make()), ...processMeters()].map(({ labels, name, type }) => ({ name, type, labels }))
    const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
      one.name < other.name ? -1 : 1
    expect(rows.toSorted(byName)).toEqual(meters.toSorted(byName))
  })

  it("names every span that the code makes, and no other", () => {
    const section = text.slice(text.indexOf("## Traces"), text.indexOf("## The log"))
    const named = [...section.matchAll(/`((?:API <method> <route>)|[A-Z][A-Za-z]+\.[a-z][A-Za-z]+)`/g)].map(
      (match) => match[1]!
    )
    const commits = ["Promotions.swap"]
    expect(spansInCode.size).toBeGreaterThan(50)
    expect(named.filter((name) => !commits.includes(name)).toSorted()).toEqual(
      [...spansInCode].filter((name) => !hidden.includes(name)).toSorted()
    )
  })
})
