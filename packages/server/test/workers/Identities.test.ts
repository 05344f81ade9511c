/** A provider of identities at the objects of an installation in workerd: its tokens, and browsers that sign in there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../e2e/kit/Flow.ts"
import { assistantAt } from "../e2e/mcp/Assistant.ts"
import { ask, providerSignIns } from "../e2e/kit/ProviderSignIn.ts"
import { Issuer } from "../node/identity/Issuer.ts"
import { deployProgram } from "./suites/DeployProgram.ts"

const clientSecret = "the-secret-of-the-console"
const issuer = new Issuer()
let here: Installed

beforeAll(async () => {
  await issuer.start()
  const oidc = { issuer: issuer.url, audience: "pawl", clientId: "console" }
  here = await install({ checks: null, oidc }, { secrets: { OIDC_CLIENT_SECRET: clientSecret } })
})
afterAll(async () => {
  await here.close()
  issuer.stop()
})

describe("A provider's token in workerd", () => {
  const address = () => here.origin.replace("localhost", "127.0.0.1")
  const askWith = (path: string, token: string) =>
    fetch(`${address()}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const me = async (token: string) => {
    const answer = await askWith("/v1/me", token)
    return { status: answer.status, body: (await answer.json()) as { user?: { id: string; name: string } } }
  }

  it("lets its person in as the same user each time, whom a Project's object knows too", async () => {
    const many = await Promise.all(
      Array.from({ length: 8 }, async () => me(await issuer.token({ sub: "jane", name: "Jane Doe" })))
    )
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
    const user = many[0]?.body.user
    expect(new Set(many.map((each) => each.body.user?.id)).size).toBe(1)
    expect(user?.name).toBe("Jane Doe")
    const project = await Flow.createProject(here.api, "theirs")
    const path = `/v1/projects/${project.id}`
    await Flow.liveApp(here.api, project.id, 0)
    const token = await issuer.token({ sub: "jane" }, issuer.key("ES256"))
    expect((await askWith(path, token)).status).toBe(404)
    const { items } = await here.api.get<{ items: ReadonlyArray<{ role: string; userId: string }> }>(`${path}/members`)
    const members = items.map(({ role, userId }) => ({ role, userId }))
    await here.api.put(`${path}/members`, { members: [...members, { role: "viewer", userId: user?.id }] })
    expect((await askWith(path, token)).status).toBe(200)
    expect((await askWith(`/git/${project.id}.git/info/refs?service=git-upload-pack`, token)).status).toBe(200)
    const { call, client } = await assistantAt(address(), { token })
    expect((await call("get_project", { project: project.id })).structured.canonical.generation).toBe(0)
    await client.close()
  })

  it("counts for nobody when it is for others, has ended, or is signed by a key that the provider does not publish", async () => {
    const stranger = await new Issuer().start()
    for (const token of [
      await issuer.token({ aud: "another" }),
      await issuer.token({ exp: Math.floor(Date.now() / 1000) - 60 }),
      await issuer.token({}, stranger.key()),
      await issuer.token({ iss: stranger.url })
    ])
      expect((await me(token)).status).toBe(401)
    stranger.stop()
  })

  it("counts when the provider signs with new keys, and the old ones do not any more", async () => {
    const old = issuer.key()
    await issuer.rotate()
    expect((await me(await issuer.token({ sub: "jane" }))).status).toBe(200)
    expect((await me(await issuer.token({ sub: "jane" }, old))).status).toBe(401)
  })

  it("is told of to clients of MCP", async () => {
    const told = await fetch(`${address()}/.well-known/oauth-protected-resource/mcp`)
    expect(await told.json()).toMatchObject({ authorization_servers: [issuer.url], resource: `${here.origin}/mcp` })
  })
})

describe("A provider's page in workerd", () => {
  const installed = () => ({
    origin: here.origin.replace("localhost", "127.0.0.1"),
    place: here.origin,
    token: here.owner
  })

  providerSignIns(issuer, installed)

  it("is shown the console's secret for a code, which stands in no answer of ours", async () => {
    expect(issuer.clientSecret).toBe(clientSecret)
    const { text } = await ask(`${installed().origin}/auth/oidc/start`)
    expect(text).not.toContain(clientSecret)
  })

  it("is why the deployment's command makes no link, and it says so", async () => {
    const { code, output } = await deployProgram("link.ts", ["--api-origin", here.origin, "--resolve", "127.0.0.1"], {
      PAWL_OWNER_TOKEN: here.owner
    })
    expect([code, output]).toEqual([1, expect.stringContaining("no_sign_in_link")])
  })
})
