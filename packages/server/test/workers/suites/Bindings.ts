/** Who may call whom: a script reaches what it is bound to, and the canonical one answers nobody else. */
import { beforeAll, describe, expect, it } from "vitest"
import { compatibilityDate, scriptsOf } from "../../../../../deploy/cloudflare/Scripts.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** A script of somebody who was given a binding, and tries all that it may be good for. */
const rogue = (name: string, entrypoint: string) => ({
  name,
  compatibilityDate,
  modules: true,
  script: `export default { async fetch(request, env) {
    const { pathname } = new URL(request.url)
    const asked = new Request("http://api" + pathname, { method: "POST", headers: { authorization: "Bearer " + env.TOKEN } })
    asked.headers.set("pawl-object", new URL(request.url).searchParams.get("project"))
    const tries = {
      fetch: () => env.CANONICAL.fetch(asked),
      promote: () => env.CANONICAL.promote(asked)
    }
    const said = {}
    for (const [way, attempt] of Object.entries(tries))
      said[way] = await attempt().then((answer) => "answered " + answer.status, (error) => error.message)
    return Response.json(said)
  } }`,
  serviceBindings: { CANONICAL: { name: "canonical", entrypoint } }
})

/** Scripts that an installation must have beside it for these tests. */
export const rogues = (owner: string): ReadonlyArray<object> =>
  ["ForApi", "ForRouters"].map((entrypoint) => ({
    ...rogue(`rogue-${entrypoint.toLowerCase()}`, entrypoint),
    bindings: { TOKEN: owner }
  }))

/** Tests of who may call whom in an installation. */
export const callers = (installed: () => Installed): void => {
  describe("The canonical script", () => {
    let candidateId: string
    let projectId: string

    beforeAll(async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "guarded")
      projectId = project.id
      const change = await Flow.openChange(api, project.id, "guarded")
      await Flow.edit(api, change, { "note.txt": "x" })
      candidateId = (await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)).id
    })
    const tried = async (script: string): Promise<Readonly<Record<string, string>>> =>
      (
        await installed().simulated().send(script, `/v1/candidates/${candidateId}/promote?project=${projectId}`)
      ).json() as Promise<Readonly<Record<string, string>>>

    it("promotes for nobody but the integration script, with whatever token and by whatever binding", async () => {
      const asApi = await tried("rogue-forapi")
      expect(asApi["fetch"]).toContain("the integration script alone")
      expect(asApi["promote"]).toContain("promote")
      expect(asApi["promote"]).not.toContain("answered")
      const asRouter = await tried("rogue-forrouters")
      for (const way of ["fetch", "promote"]) expect(asRouter[way]).not.toContain("answered")
      const { candidate } = await installed().api.get<{ candidate: { status: string } }>(
        `/v1/candidates/${candidateId}`
      )
      expect(candidate.status).toBe("verified")
      expect((await Flow.promote(installed().api, candidateId)).outcome).toBe("promoted")
    })

    it("has no route, and neither has the integration script", () => {
      const { origin } = installed()
      const scripts = scriptsOf({
        environment: "production",
        appsDomain: "apps.localhost",
        apiOrigin: origin,
        oidc: null,
        models: null,
        paused: false,
        version: "0.0.0-test",
        requestsPerMinute: 1,
        buildsPerDay: 1,
        sandboxMinutesPerMonth: 1,
        checks: null,
        repositories: "packs",
        registry: "https://registry.npmjs.org/"
      })
      expect(scripts.filter(({ hosts }) => hosts.length > 0).map(({ name }) => name)).toEqual(["api", "router"])
      const callers = scripts.filter(({ bindings }) =>
        Object.values(bindings).some((each) => each._tag === "Service" && each.entrypoint === "ForIntegration")
      )
      expect(callers.map(({ name }) => name)).toEqual(["integration"])
      for (const held of ["ProjectObject", "DirectoryObject", "DataStore"]) {
        const holders = scripts.filter(({ bindings }) =>
          Object.values(bindings).some((each) => each._tag === "Objects" && each.className === held)
        )
        expect(holders.map(({ name }) => name)).toEqual(["canonical"])
      }
      const senders = scripts.filter(({ bindings }) => Object.values(bindings).some(({ _tag }) => _tag === "Queue"))
      expect(senders.map(({ name }) => name)).toEqual(["canonical"])
    })
  })
}
