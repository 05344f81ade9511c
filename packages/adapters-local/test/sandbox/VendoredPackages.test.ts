import { jobOf, runJob, textOf } from "@pawl/testing/contracts/sandbox/SandboxJobs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"
import { layer } from "@pawl/adapters-local/sandbox/LocalSandbox"

const app = `import { Hono } from 'hono'\nimport { json } from 'itty-router'\nconst app = new Hono()\napp.get('/', (c) => c.json({ text: c.req.path }))\nexport default app\nexport const answer: Response = json(1)\n`
const test = `import { test } from 'node:test'\nimport assert from 'node:assert/strict'\nimport app from '../src/index.ts'\ntest('answers', async () => assert.deepEqual(await (await app.request('/')).json(), { text: '/' }))\n`
const settings = `{ "compilerOptions": { "module": "ESNext", "moduleResolution": "bundler", "target": "ES2022", "lib": ["ES2022", "DOM"], "strict": true, "noEmit": true, "skipLibCheck": true, "types": [] }, "include": ["src"] }`

const run = (command: string, source = app) => {
  const job = jobOf(command)
  const files = Object.entries({
    "package.json": `{ "type": "module" }`,
    "src/index.ts": source,
    "test/app.test.ts": test,
    "tsconfig.json": settings
  }).map(([path, text]) => [path, { content: new TextEncoder().encode(text), executable: false }] as const)
  return Effect.runPromise(Effect.provide(runJob({ ...job, files: new Map(files) }), layer()))
}

describe("a check", () => {
  it("finds the packages that Pawl brings along, read-only, and no other", async () => {
    const result = await run(
      "ls /node_modules; for name in hono itty-router; do node -p \"require('/node_modules/$name/package.json').version\"; done; touch /node_modules/hono/x 2>/dev/null || echo denied"
    )
    const lines = [...vendoredPackages.map(({ name }) => name), ...vendoredPackages.map(({ version }) => version)]
    expect(textOf(result)).toBe(`${lines.join("\n")}\ndenied\n`)
  })

  it("runs tests of an app that imports them", async () => {
    const result = await run("node --test")
    expect(result.outcome).toMatchObject({ _tag: "Exited", code: 0 })
  })

  it("type checks an app that imports them, and sees its mistakes", async () => {
    expect(textOf(await run("tsc && echo typed"))).toBe("typed\n")
    expect(textOf(await run("tsc", app.replace("c.req.path", "c.req.pfad")))).toMatch(/src\/index\.ts\(4,.*pfad/)
  })
})
