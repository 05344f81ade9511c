/** Which shell blocks are run, which are not and why, and how a page of them is run. */
import { spawn } from "node:child_process"
import type { Block } from "./Documents.ts"

/** Their blocks are run in order, in one shell, against a server of their own. */
export const shellPages: ReadonlyArray<string> = [
  "README.md",
  "docs/start/with-curl.md",
  "docs/start/with-git.md",
  "docs/start/with-the-command-line.md",
  "docs/start/existing-project.md"
]

const installs = "it installs; the scripts of CI begin with it"

/** By their exact text. */
export const notRun: ReadonlyMap<string, string> = new Map([
  ["npm ci && npm run demo -- --exit", "CI runs the demo"],
  ["npm ci && npm test", "CI runs the tests, this one among them"],
  ["npm ci", installs],
  [
    "npm run deploy:cloudflare -- --dry-run --api-origin https://pawl.example.com --apps-domain pawl-apps.example",
    "test/workers/Deployment.test.ts tries what it deploys"
  ],
  [
    "npm run link:cloudflare -- --api-origin https://pawl.example.com",
    "there is no such installation; test/workers/suites/Links.ts runs it"
  ],
  ["npm run demo:cloudflare -- --exit", "test/workers/Workerd.test.ts takes more of the same way"],
  [
    [
      'export CHECKOUT="$PWD"',
      'pawl() { "$CHECKOUT/node_modules/.bin/node" "$CHECKOUT/packages/server/dist/node/main.js" "$@"; }'
    ].join("\n"),
    "the test has a pawl of the sources on its path"
  ],
  ["apt-get install git curl bubblewrap", installs],
  [
    [
      "pawl verify .pawl --key SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "pawl verify clone --key keys.txt --seen checkpoint",
      "pawl verify https://pawl.example --project proj_00000000-0000-4000-8000-000000000000 --max-age 1d",
      "pawl verify https://shop.apps.pawl.example --key keys.txt"
    ].join("\n"),
    "the key is nobody's; e2e/paths/Verify.test.ts verifies a folder"
  ],
  [
    ["pawl key show", "pawl key rotate", "pawl key rotate --log", "pawl key recovery"].join("\n"),
    "there is no folder .pawl here; e2e/running/Keys.test.ts runs the commands"
  ],
  [
    [
      "pawl approve --enroll --url https://pawl.example",
      "pawl approve cand_0123456789abcdef01234567 --sign --clone ~/code/shop --url https://pawl.example"
    ].join("\n"),
    "there is no such server; e2e/paths/Approve.test.ts runs both"
  ],
  ["npm start", "a server runs already, on a port of its own"],
  [
    'export PAWL=http://localhost:8787\nexport TOKEN="$(cat .pawl/owner-token)"',
    "the test sets both, to its own server"
  ],
  ["npm run pawl -- import ~/code/my-app", "there is no such folder; e2e/paths/Import.test.ts brings one"],
  [
    [
      'curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" "$PAWL/v1/projects" \\',
      `  -d '{"slug":"from-git","import":{"git":"https://github.com/acme/my-app"}}'`
    ].join("\n"),
    "it asks a host elsewhere; GitSourceImport.test.ts asks one on this machine"
  ],
  ["npm run doctor", "what it says depends on the machine"],
  ["tar -czf pawl-backup.tar.gz .pawl", "there is no folder .pawl here"],
  [
    [
      "npm ci",
      "npm test",
      "npm run check",
      "npm run test:only -- --project core",
      "npm run test:changed",
      "npm run test:deep",
      "npm run test:long -- turn",
      "npm run docs",
      "npm run screens -- <folder>",
      "npm run lint:fix",
      "npm run format"
    ].join("\n"),
    "some of them change files"
  ]
])

const marker = "== block "

/** A page whose loop waits for ever on a broken server ends here, with what it said so far. */
const longestMs = 240_000

/** Runs blocks in order in one shell; each stops at its first command that fails. Answers where it stopped. */
export const runInOrder = (
  blocks: ReadonlyArray<Block>,
  environment: Readonly<Record<string, string>>
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const script = blocks.map(({ page, line, text }) => `echo '${marker}${page}:${line}'\n${text}`).join("\n")
  return new Promise((resolve) => {
    const shell = spawn("bash", ["-eu", "-c", script], {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    const keep = (text: string) => (output += text)
    shell.stdout.setEncoding("utf8").on("data", keep)
    shell.stderr.setEncoding("utf8").on("data", keep)
    const late = setTimeout(() => {
      output += `\nstopped after ${longestMs} ms`
      shell.kill("SIGKILL")
      // What the shell started may hold these open.
      shell.stdout.destroy()
      shell.stderr.destroy()
    }, longestMs)
    shell.once("close", (code) => {
      clearTimeout(late)
      resolve({ code, output })
    })
  })
}
