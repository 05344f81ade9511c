/**
 * The machines of `deploy/` as namespaces of this one: what the files there start runs on them as processes, from the same
 * files of the environment, with the names of the composition. In the place of its gateway stands radosgw.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { CreateBucketCommand } from "@aws-sdk/client-s3"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { allow, plainClient, type Policy } from "../../../../adapters-s3/test/Buckets.ts"
import { policyFor } from "../../../../adapters-s3/test/RouterPolicy.ts"
import * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import type { Place } from "../../../../adapters-local/test/Place.ts"
import { compiled, main } from "../../e2e/kit/CompiledPrograms.ts"
import * as Machines from "../../fleet/kit/Machines.ts"
import { environmentOf, root } from "../EnvironmentFiles.ts"

const deploy = join(root, "deploy")
export const composeFile = join(deploy, "compose/compose.yaml")

/** What an operator writes: a file of the environment that is made of its example. */
export type Environment = ReadonlyMap<string, string>

const programs = ["haproxy", "dnsmasq"]

/** Why it cannot be here; null when it can. */
export const whyNot = async (): Promise<string | null> => {
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).error !== undefined)
  if (missing.length > 0) return `no ${missing.join(", no ")}: apt-get install haproxy dnsmasq-base`
  return Machines.whyNot() ?? S3Server.whyNot() ?? (await PostgresServer.whyNotOwn())
}

/** An installation whose database and bucket run, and whose other machines are there. */
export interface Installation {
  readonly machine: (name: string) => Machines.Machine
  /** A file of the environment, as the operator has it. */
  readonly environment: (path: string) => Environment
  /** Runs a command of Pawl on a machine until it ends. */
  readonly command: (machine: Machines.Machine, environment: Environment, args: ReadonlyArray<string>) => Promise<void>
  /** Starts the load balancer of the composition; resolves when it takes connections. */
  readonly balance: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Where a server listens that has one port. */
const listening = (place: Place, host: string, ports: ReadonlyArray<number>): Place => {
  const left = [...ports]
  return { ...place, address: () => ({ host, port: left.shift()! }) }
}

const on = ({ name, wrap }: Machines.Machine, script: string): void => {
  const { status, stderr } = spawnSync(wrap[0]!, [...wrap.slice(1), "sh", "-ec", script], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${name}: ${script} ended with ${status}: ${stderr}`)
}

/** A program that stays on a machine, and dies with this process. */
const stay = ({ wrap }: Machines.Machine, args: ReadonlyArray<string>): ChildProcess => {
  const [command, ...rest] = [...wrap, "setpriv", "--pdeathsig", "KILL", "--", ...args] as [string, ...Array<string>]
  return spawn(command, rest, { stdio: ["ignore", "ignore", "inherit"] })
}

/** A volume: a folder of this machine, where a service finds it. */
const mount = (machine: Machines.Machine, volume: string): void =>
  on(
    machine,
    `mount -t tmpfs none /var/lib
     mkdir -m 0700 /var/lib/pawl
     mount --bind ${volume} /var/lib/pawl
     mount -o remount,bind,rw /var/lib/pawl`
  )

/** The rights of routers in the bucket, as the page of operators has them, under the prefix of the files. */
const routerPolicy = (bucket: string, prefix: string): Policy =>
  JSON.parse(JSON.stringify(policyFor(bucket)).replaceAll(`${bucket}/pawl/`, `${bucket}/${prefix}/`)) as Policy

/** The examples, with values of one's own. */
const secretsFor = async (s3: S3Server.S3Server): Promise<ReadonlyMap<string, Environment>> => {
  const router = await s3.addUser("router")
  await allow(s3, "pawl", "router", routerPolicy("pawl", "objects"))
  const made = (name: string, own: Readonly<Record<string, string>>): readonly [string, Environment] => [
    join(deploy, "env", name),
    new Map(Object.entries({ ...environmentOf(join(deploy, "env", `${name}.example`)), ...own }))
  ]
  return new Map([
    made("secrets.env", { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }),
    made("router-secrets.env", { AWS_ACCESS_KEY_ID: router.accessKeyId, AWS_SECRET_ACCESS_KEY: router.secretAccessKey })
  ])
}

/** The database of the composition: its user, its name, and the routers' user as its script makes it. */
const database = async (url: string): Promise<void> => {
  const password = (name: string) =>
    new URL(environmentOf(join(deploy, "env", name))["PAWL_DATABASE_URL"] ?? "").password
  await PostgresServer.administer(url, `CREATE ROLE pawl LOGIN SUPERUSER PASSWORD '${password("secrets.env.example")}'`)
  await PostgresServer.administer(url, "CREATE DATABASE pawl OWNER pawl")
  const script = readFileSync(join(deploy, "compose/router-user.sh"), "utf8")
  const [role = ""] = /^CREATE ROLE .*;$/m.exec(script) ?? []
  await PostgresServer.administer(url, role.replace(":'password'", `'${password("router-secrets.env.example")}'`))
}

/** Makes the machines of these names, each with the volume that it is given, beside those of the database and the bucket. */
export const start = async (volumes: ReadonlyMap<string, string>): Promise<Installation> => {
  const network = await Machines.open()
  const folder = mkdtempSync(join(tmpdir(), "pawl-deploy-"))
  const stops: Array<() => Promise<unknown>> = [network.close]
  const stop = async () => {
    for (const each of stops.toReversed()) await each()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const machines = new Map<string, Machines.Machine>()
    for (const name of ["postgres", "s3", "haproxy", ...volumes.keys()]) machines.set(name, await network.machine(name))
    const machine = (name: string) => machines.get(name)!
    const names = [...machines].map(([name, { host }]) => `${host} ${name.replace(/-\d$/, "")}`)
    writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost\n${names.join("\n")}\n`)
    for (const each of machines.values()) on(each, `mount --bind ${join(folder, "hosts")} /etc/hosts`)
    for (const [name, volume] of volumes) {
      mkdirSync(join(folder, volume), { recursive: true, mode: 0o700 })
      mount(machine(name), join(folder, volume))
    }
    const { host } = machine("postgres")
    const placed = listening(machine("postgres").place("postgres"), host, [5432])
    const postgres = await PostgresServer.startOwn(["fsync=off"], {}, placed)
    stops.push(postgres.stop)
    await database(postgres.url)
    // Its monitor comes first.
    const s3 = await S3Server.startAt(listening(machine("s3").place("s3"), machine("s3").host, [6789, 7070]))
    stops.push(s3.stop)
    const client = plainClient(s3)
    await client.send(new CreateBucketCommand({ Bucket: "pawl" }))
    client.destroy()
    const secrets = await secretsFor(s3)
    return {
      machine,
      environment: (path) => {
        const at = resolve(dirname(composeFile), path)
        return secrets.get(at) ?? new Map(Object.entries(environmentOf(at)))
      },
      command: async ({ folder: home, wrap }, environment, args) => {
        const node = [process.execPath, "--conditions=pawl-source", await compiled(main)]
        const [command, ...rest] = [...wrap, ...node, ...args] as [string, ...Array<string>]
        const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, ...Object.fromEntries(environment) }
        const child = spawn(command, rest, { env, stdio: ["ignore", "pipe", "pipe"] })
        let said = ""
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (text: string) => (said += text))
        const [code] = await once(child, "close")
        if (code !== 0) throw new Error(`pawl ${args.join(" ")} ended with ${code}\n${said}`)
      },
      balance: async () => {
        const dns = ["--keep-in-foreground", "--conf-file=", "--no-resolv", "--no-hosts", "--user=root", "--pid-file="]
        const at = ["--listen-address=127.0.0.11", "--bind-interfaces", `--addn-hosts=${join(folder, "hosts")}`]
        const started = [
          stay(machine("haproxy"), ["dnsmasq", ...dns, ...at]),
          stay(machine("haproxy"), ["haproxy", "-db", "-q", "-f", join(deploy, "compose/haproxy.cfg")])
        ]
        stops.push(async () => {
          for (const each of started) {
            if (each.exitCode !== null) continue
            const ended = once(each, "close")
            each.kill("SIGKILL")
            await ended
          }
        })
      },
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}
