/**
 * A stand-in for Artifacts: git itself, in bare repositories of a folder, behind the shapes of Cloudflare's binding.
 *
 * Documented, and so here (developers.cloudflare.com/artifacts and the types of `@cloudflare/workers-types`): the methods, what
 * they answer, the codes of what they throw; names of 3 to 63 characters; a token belongs to one repository and ends with it;
 * `remote` speaks git's smart protocol over HTTP with `Authorization: Bearer`; a fork begins with the history of the default
 * branch; `get` says that a repository is still being made.
 *
 * Assumed, for nothing says it: that a push without report of bands is answered in plain lines; that refs below `refs/heads/`
 * may have any name; that a branch may be pushed without an object and be deleted; that `main` may be pushed to another
 * first commit; that 401, 403 and 404 mean a token or repository that is gone. Here git answers, as it does anywhere.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Artifacts, ArtifactsRepository } from "@pawl/adapters-cloudflare/repositories/artifacts/Artifacts"
import type { Fetch } from "@pawl/adapters-cloudflare/repositories/artifacts/GitRemote"

/** What is asked: methods of the binding, and the three requests of git. */
export type Operation =
  | "create"
  | "get"
  | "delete"
  | "info"
  | "createToken"
  | "fork"
  | "readTree"
  | "readBlob"
  | "refs"
  | "fetch"
  | "push"

/** What goes wrong with an operation: refused before it is done, done and the answer lost, or never answered. */
export type Trouble = "refused" | "lost" | "never" | "busy"

interface Stored {
  readonly name: string
  readonly id: string
  readonly path: string
  readonly tokens: Set<string>
  /** Until then nothing is there to be asked for. */
  ready: Promise<unknown>
}

const environment = { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }

const git = (args: ReadonlyArray<string>, input: Uint8Array = new Uint8Array()): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const child = spawn("git", args, { env: environment, stdio: ["pipe", "pipe", "pipe"] })
    const pieces: Array<Buffer> = []
    let complaint = ""
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text))
    child.once("error", reject)
    child.stdin.on("error", () => undefined)
    child.once("close", (code) =>
      code === 0 ? resolve(new Uint8Array(Buffer.concat(pieces))) : reject(new Error(`git ${args[0]}: ${complaint}`))
    )
    child.stdin.end(input)
  })

const artifactsError = (code: string): Error => Object.assign(new Error(code), { name: "ArtifactsError", code })

const never = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))

const services = { "git-upload-pack": ["upload-pack", "fetch"], "git-receive-pack": ["receive-pack", "push"] } as const

/** A stand-in with its folder. */
export class ArtifactsStandIn {
  readonly folder = mkdtempSync(join(tmpdir(), "artifacts-"))
  /** How often each was asked. */
  readonly counts = new Map<Operation, number>()
  /** Goes wrong with what is asked; null: nothing does. */
  trouble: (operation: Operation) => Trouble | null = () => null
  private readonly stored = new Map<string, Stored>()

  readonly names = (): ReadonlyArray<string> => [...this.stored.keys()]
  readonly pathOf = (name: string): string => this.stored.get(name)?.path ?? ""
  readonly remove = (): void => rmSync(this.folder, { recursive: true, force: true })

  /** Runs git in a repository. */
  readonly git = async (name: string, args: ReadonlyArray<string>): Promise<string> =>
    new TextDecoder().decode(await git([`--git-dir=${this.pathOf(name)}`, ...args]))

  private async asked<A>(operation: Operation, work: () => Promise<A>, signal?: AbortSignal | null): Promise<A> {
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1)
    const trouble = this.trouble(operation)
    if (trouble === "refused") throw artifactsError("INTERNAL_ERROR")
    if (trouble === "busy") throw artifactsError("FORK_IN_PROGRESS")
    if (trouble === "never") return never(signal)
    const answer = await work()
    if (trouble === "lost") throw artifactsError("INTERNAL_ERROR")
    return answer
  }

  private place(name: string): Stored {
    if (!/^[a-z0-9][a-z0-9-]{2,62}$/.test(name)) throw artifactsError("INVALID_REPO_NAME")
    if (this.stored.has(name)) throw artifactsError("ALREADY_EXISTS")
    const id = randomBytes(8).toString("hex")
    const made = { name, id, path: join(this.folder, `${id}.git`), tokens: new Set<string>(), ready: Promise.resolve() }
    this.stored.set(name, made)
    return made
  }

  private find(name: string): Stored {
    const found = this.stored.get(name)
    if (found === undefined) throw artifactsError("NOT_FOUND")
    return found
  }

  /** The binding. */
  readonly binding: Artifacts = {
    create: (name, { setDefaultBranch }) =>
      this.asked("create", async () => {
        const made = this.place(name)
        await (made.ready = git(["init", "-q", "--bare", "-b", setDefaultBranch, made.path]))
      }),
    get: (name) => this.asked("get", async () => this.handleOf(this.find(name))),
    delete: (name) =>
      this.asked("delete", async () => {
        const found = this.stored.get(name)
        if (found === undefined) return false
        this.stored.delete(name)
        rmSync(found.path, { recursive: true, force: true })
        return true
      })
  }

  private handleOf({ id, name, path, tokens }: Stored): ArtifactsRepository {
    const inside = async (args: ReadonlyArray<string>): Promise<Uint8Array | null> =>
      git([`--git-dir=${path}`, ...args]).catch(() => null)
    return {
      info: () => this.asked("info", async () => ({ id, remote: `https://artifacts.test/git/pawl/${name}.git` })),
      createToken: (_, ttl) =>
        this.asked("createToken", async () => {
          if (!Number.isInteger(ttl) || ttl < 60 || ttl > 31_536_000) throw artifactsError("INVALID_TTL")
          const plaintext = `art_v1_${randomBytes(20).toString("hex")}`
          tokens.add(plaintext)
          return { plaintext }
        }),
      fork: (target) =>
        this.asked("fork", async () => {
          const made = this.place(target)
          const how = ["-q", "--bare", "--single-branch", "--branch", "main", "--no-local"]
          await (made.ready = git(["clone", ...how, path, made.path]))
        }),
      readTree: (hash) =>
        this.asked("readTree", async () => {
          const listed = await inside(["ls-tree", "-z", hash])
          return listed === null
            ? null
            : new TextDecoder()
                .decode(listed)
                .split("\0")
                .filter((line) => line !== "")
                .map((line) => {
                  const [, mode = "", at = "", entry = ""] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? []
                  return { name: entry, mode, hash: at }
                })
        }),
      readBlob: (hash) =>
        this.asked("readBlob", async () => {
          const bytes = await inside(["cat-file", "blob", hash])
          return bytes === null ? null : new Blob([bytes as Uint8Array<ArrayBuffer>])
        })
    }
  }

  /** What answers git's requests. */
  readonly fetch: Fetch = async (address, { body, headers, signal }) => {
    const url = new URL(address)
    const [, name = "", path = ""] = /^\/git\/pawl\/([^/]+)\.git\/(.*)$/.exec(url.pathname) ?? []
    const found = this.stored.get(name)
    const operation: Operation = path === "git-upload-pack" ? "fetch" : path === "git-receive-pack" ? "push" : "refs"
    const answer = async (): Promise<Response> => {
      if (found === undefined) return new Response(null, { status: 404 })
      await found.ready
      const token = new Headers(headers).get("authorization")?.replace("Bearer ", "") ?? ""
      if (!found.tokens.has(token)) return new Response(null, { status: 401 })
      if (path === "git-upload-pack" || path === "git-receive-pack")
        return this.said(await git([services[path][0], "--stateless-rpc", found.path], body as Uint8Array))
      const refs = await git(["upload-pack", "--stateless-rpc", "--advertise-refs", found.path])
      return this.said(Buffer.concat([Buffer.from("001e# service=git-upload-pack\n0000"), refs]))
    }
    return this.asked(operation, answer, signal)
  }

  private said(bytes: Uint8Array): Response {
    return new Response(new Uint8Array(bytes))
  }
}
