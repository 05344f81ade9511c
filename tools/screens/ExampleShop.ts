/** A server's Project in which something of everything happened, so that each screen has something to show. */
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import * as ChangeFlow from "../../packages/server/test/e2e/kit/ChangeFlow.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { done, environmentOf, script, write } from "../../packages/server/test/e2e/kit/ScriptedTeam.ts"
import { type ServerProcess, startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import type { Shop } from "./Paths.ts"

const usual = script({
  tasks: [
    { key: "hours", title: "The opening hours", writes: ["public/hours.txt"] },
    { key: "page", title: "The page that shows them", dependsOn: ["hours"], writes: ["public/page.txt"] }
  ],
  agents: {
    "The opening hours": [write("public/hours.txt", "9 to 5\n"), done],
    "The page that shows them": [write("public/page.txt", "the hours\n"), done]
  }
})

/** Who speaks for the shop's agents. The first answer of one is so dear that a small budget does for no further call. */
export const openAgents = (): Promise<Provider.ScriptedProvider> =>
  Provider.open(async (asked) => {
    const turn = await usual(asked)
    return turn._tag === "Says" && asked.results === 0 && !asked.tools.includes("propose_plan")
      ? { ...turn, usage: { input: 100, output: 45_000 } }
      : turn
  })

/** A server whose agents a script speaks for, and what ends both. */
export const startShop = async (data: string): Promise<{ server: ServerProcess; stop: () => Promise<void> }> => {
  const provider = await openAgents()
  const server = await startServer({ data, environment: environmentOf(provider) })
  const stop = async () => {
    await server.stop()
    await provider.close()
  }
  return { server, stop }
}

/** Makes what happened, over the API. */
export const fillShop = async ({ api }: Pick<ServerProcess, "api">): Promise<Shop> => {
  const { id } = await Flow.createProject(api, "shop")
  await Flow.liveApp(api, id, 0)
  const candidate = async (goal: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(api, id, goal)
    await Flow.edit(api, change, files, goal)
    return { change, candidate: await Flow.gated(api, (await Flow.requestCandidate(api, change)).id) }
  }
  const promoted = await candidate("Say when the shop is open", { "public/hello.txt": "Open from 9 to 18\n" })
  await Flow.promote(api, promoted.candidate.id)
  await Flow.liveApp(api, id, 1)
  const checks = [{ id: "test", title: "Our own check", command: "echo it is checked", required: true }]
  const waiting = await candidate("Check by a command of our own", {
    "pawl.json": JSON.stringify({ checks, probes: [{ path: "/", status: 200 }] }, null, 2),
    "public/hello.txt": "Open from 9 to 18, and on Saturday from 10 to 14\n"
  })
  const rejected = await candidate("Try a verdict that is bad", { "verdict.txt": "bad" })
  const { id: stopped } = await ChangeFlow.openGoal(api, id, "Show the opening hours on a page of their own", 0.09)
  await ChangeFlow.changeWhen(api, stopped, ({ status }) => status === "budget_blocked")
  const open = await Flow.openChange(api, id, "Say where the shop is")
  const sent = await Flow.openChange(api, id, "Greet who comes in")
  await Flow.edit(api, sent, { "public/hello.txt": "Welcome\n" }, "A greeting")
  const { webhook } = await api.post<{ webhook: { id: string } }>(`/v1/projects/${id}/webhooks`, {
    url: "https://hooks.invalid/pawl"
  })
  const me = await api.get<{ organizations: ReadonlyArray<{ id: string }> }>("/v1/me")
  return {
    waiting: waiting.change.id,
    rejected: rejected.change.id,
    promoted: promoted.change.id,
    stopped,
    open: open.id,
    sent: sent.id,
    organization: me.organizations[0]!.id,
    webhook: webhook.id
  }
}
