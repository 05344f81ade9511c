import fc from "fast-check"
import { AssetServer } from "@pawl/core/app/AssetServer"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { commit, makeWorld, project, text } from "./World.ts"

const files: Record<string, string> = {
  "index.html": "file home",
  "404.html": "file lost",
  "a.txt": "file a",
  "deep/index.html": "file deep",
  "deep/b.html": "file b",
  "%2e%2e/bundle.json": "file escaped",
  "ü/é.txt": "file composed",
  ".hidden": "file hidden"
}
const prefix = `apps/${project}/${commit}/`

/** What a path is made of: names of files and secrets, and everything that parts, escapes or folds into a separator. */
const piece = fc.constantFrom(
  ..."a.txt|index.html|index|deep|b|bundle.json|assets|secret|modules|.hidden|.|..|...|/|//|\\|%2e|%2E%2e|%252e%252e".split(
    "|"
  ),
  ..."%2f|%2F|%5c|%255c|%00|%0a|%|%zz|%c0%ae|%c0%af|%ef%bc%8f|%e2%88%95|%u002e|;|?|#|@|:|~|*|$&".split("|"),
  ..."ü|u\u0308|é|e\u0301|／|∕|․|‥|\u0000|\u202e|\ud800|K|%C3%BC|%75%CC%88|__proto__|constructor|apps|\t|\n| ".split(
    "|"
  )
)
const path = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `/${pieces.join("")}`)
const whole = fc.oneof(
  path,
  fc.webPath(),
  fc.string({ unit: "binary", maxLength: 20 }).map((tail) => `/${tail}`)
)

describe("Paths of any shape", () => {
  it("read no object outside the manifest, and show no byte that is not a file of it", async () => {
    const modes = ["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"] as const
    const worlds = await Promise.all(
      modes.map((htmlHandling) =>
        makeWorld({
          files,
          worker: false,
          htmlHandling,
          notFoundHandling: htmlHandling === "none" ? "none" : "404-page",
          redirects: [
            { from: "/to/*", to: "/:splat", status: 200 },
            { from: "/:one/into/:two", to: "/:two/../:one", status: 200 }
          ],
          headers: [{ path: "/*", set: [["x-path", ":splat"]], unset: [] }]
        })
      )
    )
    // What a path that gets out would find.
    const secrets = ["secret", `${prefix}secret`, `${prefix}modules/secret`, `${prefix}assets/secret`, `apps/secret`]
    const allowed = new Set([`${prefix}bundle.json`, ...Object.keys(files).map((name) => `${prefix}assets/${name}`)])
    for (const world of worlds)
      await world.run(
        Effect.flatMap(ObjectStore, (objects) =>
          Effect.forEach(secrets, (key) => objects.put(key, utf8("secret bytes")), { discard: true })
        )
      )
    const bodies = new Set(Object.values(files))
    let shown = 0
    await fc.assert(
      fc.asyncProperty(whole, fc.boolean(), fc.nat(worlds.length - 1), async (asked, rewritten, index) => {
        const world = worlds[index]!
        const target = rewritten ? `/to${asked}` : asked
        const version = {
          id: "v",
          project,
          channel: "production",
          bundleKey: world.stored.key,
          bundleDigest: world.stored.digest
        }
        const answers = [
          await world.ask(target),
          await world.run(
            Effect.flatMap(AssetServer, (server) =>
              server.fetch(version, { method: "GET", url: `https://a${target}`, headers: [], body: null })
            )
          )
        ]
        for (const answer of answers) {
          const body = await text(answer.body)
          if (bodies.has(body)) shown++
          else if (answer.status === 200) expect(body).toBe("one of the files")
          expect([200, 404, 307]).toContain(answer.status)
          expect(body).not.toContain("secret bytes")
        }
      }),
      { numRuns: 3000 }
    )
    for (const world of worlds) for (const key of world.controls.keysRead) expect([...allowed]).toContain(key)
    // The shapes are not all nonsense: many lead to files.
    expect(shown).toBeGreaterThan(100)
  })
})
