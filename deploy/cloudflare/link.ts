/**
 * `npm run link:cloudflare -- --api-origin https://pawl.example.com`: prints a link by which the owner of the token in
 * PAWL_OWNER_TOKEN signs in with a browser, once. Ends with 1 where none is made, with 2 for options that are no use.
 * `--resolve <address>` finds the host there, as curl does.
 */
import { parseArgs } from "node:util"
import * as DemoApi from "@pawl/server/node/demo/DemoApi"
import { signInLine } from "./SignInLink.ts"

const { values } = parseArgs({ options: { "api-origin": { type: "string" }, resolve: { type: "string" } } })
const origin = URL.parse(values["api-origin"] ?? "")?.origin ?? null
const token = process.env["PAWL_OWNER_TOKEN"] ?? ""
if (origin === null || token === "") {
  process.stderr.write(
    "--api-origin takes where the API is: https://pawl.example.com, and PAWL_OWNER_TOKEN the token of who signs in\n"
  )
  process.exit(2)
}
const port = Number(new URL(origin).port || "80")
const api =
  values.resolve === undefined ? DemoApi.makeAt(origin, token) : DemoApi.make({ host: values.resolve, port }, token)

await signInLine(api).then(
  (line) => process.stdout.write(`${line}\n`),
  (error: unknown) => {
    process.stderr.write(`No link was made: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
)
