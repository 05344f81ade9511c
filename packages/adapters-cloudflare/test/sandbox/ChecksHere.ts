/** Checks in real workerd over a stand-in for its engine, which runs the program of checks on this machine. */
import { fileURLToPath } from "node:url"
import { AnswerLine, RequestLine } from "@pawl/adapters-local/sandbox/SandboxLines"
import { Schema } from "effect"
import { build } from "esbuild"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import type { CheckCalls } from "@pawl/adapters-cloudflare/sandbox/CheckObject"
import { oneFile } from "../../../adapters-local/test/OneFile.ts"
import { dockerStandIn } from "./DockerStandIn.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const workerCode = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [here("./ChecksWorker.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["pawl-source", "workerd", "worker", "module"],
    external: ["cloudflare:*"],
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

/** The program of checks as the image would have it, told what to offer. */
export const program = async (choice: object): Promise<ReadonlyArray<string>> => [
  process.execPath,
  "--conditions=pawl-source",
  await oneFile(here("../../../adapters-local/src/sandbox/SandboxProgram.ts")),
  JSON.stringify(choice)
]

/** One object of checks. */
export const checksHere = async (run: ReadonlyArray<string>) => {
  const engine = await dockerStandIn()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      modules: [{ type: "ESModule", path: "index.js", contents: await workerCode() }],
      modulesRoot: "/",
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["experimental"],
      bindings: { IMAGE: { program: [...run], entrypoint: ["sleep", "infinity"] } },
      containerEngine: { localDocker: { socketPath: engine.socketPath, containerEgressInterceptorImage: "egress" } },
      durableObjects: { CHECKS: { className: "Checks", useSQLite: true, container: { imageName: "checks:1" } } }
    } as Parameters<typeof convertV4MiniflareOptions>[0])
  )
  await miniflare.ready
  // Through its own way in: what else reaches an object from Node waits for it, and so would the engine.
  const ask: CheckCalls["ask"] = async (body) => {
    const answer = await miniflare.dispatchFetch("http://checks/", {
      method: "POST",
      body: Schema.encodeSync(RequestLine)({ number: 0, body })
    })
    return Schema.decodeUnknownSync(AnswerLine)(await answer.text()).body
  }
  return {
    calls: { ask },
    /** As when nobody has asked for as long as a container stays. */
    idle: () => miniflare.dispatchFetch("http://checks/idle"),
    engine,
    close: async () => {
      await miniflare.dispose()
      await engine.close()
    }
  }
}
