/**
 * What `deploy/` starts, started: the composition and then the units, as processes on machines of their own, with the very
 * files of the environment. No image is built and no systemd runs here: what those do is done by hand.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { depth } from "@pawl/testing/Depth"
import { afterAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { type Caller, caller, type Door } from "../fleet/kit/Caller.ts"
import * as Customer from "../fleet/kit/Customer.ts"
import * as RoleProcess from "../fleet/kit/RoleProcess.ts"
import { visit } from "../fleet/kit/Visitor.ts"
import { root } from "./EnvironmentFiles.ts"
import * as Installation from "./kit/Installation.ts"

const missing = await Installation.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

interface Service {
  readonly command?: ReadonlyArray<string>
  readonly env_file?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly deploy?: { readonly replicas: number }
}
const { services } = parse(readFileSync(Installation.composeFile, "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
}
const roles = ["api", "router", "worker"] as const
const dataOf = (name: string): string =>
  services[name]!.volumes!.find((volume) => volume.endsWith(":/var/lib/pawl"))!.split(":")[0]!
const copies = (name: string): ReadonlyArray<string> =>
  Array.from({ length: services[name]!.deploy!.replicas }, (_, copy) => `${name}-${copy + 1}`)

/** The machine of each container, with its volume, and one on which all units run, with the volume that has the keys. */
const volumes = new Map([
  ["migrate", dataOf("migrate")],
  ...roles.flatMap((role) => copies(role).map((copy) => [copy, dataOf(role)] as const)),
  ["units", dataOf("worker")]
])

/** Waits until what was asked for answers as it should. The bound is for what never does. */
const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 1200; tries++) {
    if (await look()) return
    await pause(100)
  }
  throw new Error(`never: ${what}`)
}

/** Works until all Changes of a Project are out, and answers which files its app serves as they were sent. */
const served = async (api: Caller, customer: Customer.Customer, door: Door): Promise<ReadonlyArray<string>> => {
  await customer.work()
  for (const { changeId, path, text } of customer.changes) {
    await until(`${changeId} is completed`, async () => {
      await customer.look()
      return (await api.get<{ change: { status: string } }>(`/v1/changes/${changeId}`)).change.status === "completed"
    })
    await until(`${path} is served`, async () => {
      const page = await visit(door, customer.url, path.replace(/^public/, ""))
      return page.status === 200 && page.text === text
    })
  }
  return customer.changes.map(({ path }) => path)
}

const unit = readFileSync(join(root, "deploy/systemd/pawl@.service"), "utf8")
const unitFiles = [...unit.matchAll(/^EnvironmentFile=\/etc\/pawl\/(.*)$/gm)].map(([, name]) => String(name))

it("A unit and a container of one role read the same files of the environment, and start the same program", () => {
  for (const role of ["api", "worker"] as const)
    expect(services[role]!.env_file!.filter((path) => path.startsWith("../env/"))).toEqual(
      unitFiles.map((name) => `../env/${name.replace("%i", role)}`)
    )
  const started = /^ExecStart=\S+\/node (\S+ serve)$/m.exec(unit)?.[1]
  const image = readFileSync(join(root, "deploy/Containerfile"), "utf8")
  const [, entry] = /^ENTRYPOINT \["node", "(.*)"\]$/m.exec(image) ?? []
  expect([`${entry} serve`, image.includes('CMD ["serve"]')]).toEqual([started, true])
})

// Two minutes of work for a machine: in the deep form.
describe.each(depth === "quick" ? [] : [depth])("What deploy/ starts", { timeout: 900_000 }, () => {
  describe.skipIf(missing !== null)(missing ?? "on machines of its own", () => {
    let here: Installation.Installation
    let running: Array<RoleProcess.RoleProcess> = []
    afterAll(async () => {
      await Promise.all(running.map((each) => each.stop()))
      await here?.stop()
    })
    const environmentOf = (paths: ReadonlyArray<string>): Installation.Environment =>
      new Map(paths.flatMap((path) => [...here.environment(path)]))
    const started = async (machine: string, role: RoleProcess.Role, files: ReadonlyArray<string>) => {
      const process = await RoleProcess.start(here.machine(machine), role, environmentOf(files))
      running.push(process)
      return process
    }
    const tokenOf = () => here.environment("../env/secrets.env").get("PAWL_OWNER_TOKEN")!
    const nameOf = () => new URL(here.environment("../env/pawl.env").get("PAWL_BASE_URL")!).host
    const logs = () => running.map((each) => `${each.name}\n${each.log().slice(-2000)}`).join("\n")

    it("as a composition migrates first, puts a Change live through the load balancer, and goes on when one of each role is killed", async () => {
      here = await Installation.start(volumes)
      // Processes may come before the database has its shape: they wait for it, or are started again.
      for (const role of roles) for (const copy of copies(role)) await started(copy, role, services[role]!.env_file!)
      await here.balance()
      const { command, env_file } = services["migrate"]!
      await here.command(here.machine("migrate"), environmentOf(env_file!), command!)
      const door = { host: here.machine("haproxy").host, port: 8080, name: nameOf() }
      const api = caller([door], tokenOf())
      const customer = await Customer.open(api, { slug: "composed", count: 1, bad: 0, atOnce: 1 }).catch((error) => {
        throw new Error(logs(), { cause: error })
      })
      expect(await served(api, customer, door)).toEqual(["public/1.txt"])

      for (const role of roles) running.find((each) => each.role === role)!.kill()
      const next = await Customer.open(api, { slug: "killed", count: 1, bad: 0, atOnce: 1 })
      expect(await served(api, next, door)).toEqual(["public/1.txt"])

      const ends = await Promise.all(running.map((each) => each.stop()))
      running = []
      expect(ends).toEqual(ends.map(() => 0))
    })

    it("as units serves what the composition left, and puts the next Change live", async () => {
      for (const role of roles) {
        // A router's secrets stand under the name that the unit reads, on a machine of its own or in a drop-in.
        const own = unitFiles.map((name) => (role === "router" && name === "secrets.env" ? "router-secrets.env" : name))
        const paths = own.map((name) => `../env/${name.replace("%i", role)}`)
        await started("units", role, [...paths, "reached.env"])
      }
      const door = (port: number) => ({ host: here.machine("units").host, port, name: nameOf() })
      const api = caller([door(RoleProcess.ports.api)], tokenOf())
      const router = door(RoleProcess.ports.router)
      const { items } = await api.get<{ items: ReadonlyArray<{ id: string; slug: string }> }>("/v1/projects")
      expect(items.map(({ slug }) => slug).toSorted()).toEqual(["composed", "killed"])
      const { app } = await api.get<{ app: { url: string } }>(`/v1/projects/${items[0]!.id}/app`)
      await until("an app is served", async () => (await visit(router, app.url, "/0.txt")).text === "the first\n")
      const customer = await Customer.open(api, { slug: "unit", count: 1, bad: 0, atOnce: 1 })
      expect(await served(api, customer, router)).toEqual(["public/1.txt"])
      const ends = await Promise.all(running.map((each) => each.stop()))
      running = []
      expect(ends).toEqual(ends.map(() => 0))
    })
  })
})
