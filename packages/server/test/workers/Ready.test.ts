/** What `/health/ready` of an installation in workerd says when nobody set it up, or its directory does not answer. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { mainModule, modulesBeside } from "../../../../deploy/cloudflare/ScriptCode.ts"
import { compatibilityDate } from "../../../../deploy/cloudflare/Scripts.ts"

/** What stands in the place of a directory, by what it does when it is asked. */
const directories = {
  "is overloaded": `throw new Error("it has too many requests queued")`,
  "answers a failure": `return new Response("internal error", { status: 500 })`,
  "is silent": `await scheduler.wait(600_000)`
} as const
type Behaviour = keyof typeof directories

const behaviours = Object.keys(directories) as ReadonlyArray<Behaviour>
const nameOf = (behaviour: Behaviour) => `api-whose-directory-${behaviour.replaceAll(" ", "-")}`

/** The script of the API as it is deployed, before each of those. */
const scripts = async (): Promise<ReadonlyArray<object>> => {
  const contents = await mainModule({ main: "ApiScript.ts", bindings: { CONSOLE: { _tag: "Assets" } }, flags: [] })
  const beside = await modulesBeside({ modules: ["openapi.txt"] })
  return behaviours.flatMap((behaviour) => [
    {
      name: `${nameOf(behaviour)}-canonical`,
      compatibilityDate,
      modules: true,
      script: `export default { async fetch() { ${directories[behaviour]} } }`
    },
    {
      name: nameOf(behaviour),
      compatibilityDate,
      modulesRoot: "/",
      modules: [
        { type: "ESModule", path: "/index.js", contents },
        ...beside.map(({ contents: text, name, type }) => ({ type, path: `/${name}`, contents: text }))
      ],
      bindings: { SETTINGS: { apiOrigin: "http://localhost", appsDomain: null } },
      serviceBindings: { CANONICAL: `${nameOf(behaviour)}-canonical` }
    }
  ])
}

let here: Installed
beforeAll(async () => {
  const also = await scripts()
  here = await install({ checks: null }, { also: () => also, secrets: { OWNER_TOKEN: "no token" } })
})
afterAll(() => here.close())

const said = async (answer: Response) => ({ status: answer.status, body: (await answer.json()) as unknown })

describe("An installation in workerd is not ready", () => {
  it.each(behaviours)("while its directory %s, which it names", async (behaviour) => {
    const answer = await here.simulated().send(nameOf(behaviour), "/health/ready")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(await said(answer)).toEqual({ status: 503, body: { status: "not_ready", missing: ["directory"] } })
  })

  it("before it was set up, and says what it lacks, while it lives and lets nobody in", async () => {
    const ask = (path: string) => fetch(`${here.origin.replace("localhost", "127.0.0.1")}${path}`)
    expect(await said(await ask("/health/ready"))).toEqual({
      status: 503,
      body: { status: "not_ready", missing: ["first organization: OWNER_TOKEN is no token"] }
    })
    expect((await ask("/health")).status).toBe(200)
    await expect(here.as("pawl_nobody").get("/v1/me")).rejects.toThrow("401")
  })
})
