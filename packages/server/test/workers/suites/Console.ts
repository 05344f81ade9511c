/** The console and its sessions: files beside the script of the API, rows of the directory, and what a browser says of itself. */
import { createHash } from "node:crypto"
import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { appHostsOf, consoleHeaders } from "../../../src/http/console/ConsoleHeaders.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import { browserMissing, launch } from "../../e2e/kit/BrowserProbe.ts"
import * as Flow from "../../e2e/kit/Flow.ts"

const dist = join(import.meta.dirname, "../../../../console/dist")

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
  /** Empty where the answer is no JSON. */
  readonly json: Readonly<Record<string, unknown>>
}

/** Asks at the host that people reach, and unpacks nothing. */
const asking =
  (installed: () => Installed) =>
  (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { host, port } = new URL(installed().origin)
      const json = body === undefined ? {} : { "content-type": "application/json" }
      const asked = request(
        {
          host: "127.0.0.1",
          port,
          method,
          path,
          headers: { host, "accept-encoding": "identity", ...json, ...headers }
        },
        (response) => {
          const pieces: Array<Buffer> = []
          response.on("data", (piece: Buffer) => pieces.push(piece))
          response.once("end", () => {
            const bytes = Buffer.concat(pieces)
            const isJson = response.headers["content-type"]?.includes("json") === true
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes,
              json: isJson ? JSON.parse(bytes.toString()) : {}
            })
          })
        }
      )
      asked.once("error", reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })

const html = { accept: "text/html,*/*;q=0.8" }
const here = { "sec-fetch-site": "same-origin" }

/** The secret of the cookie, where it is set as it is promised. */
const secretOf = ({ headers }: Answer): string => {
  const [cookie = ""] = headers["set-cookie"] ?? []
  const [pair = "", ...attributes] = cookie.split("; ")
  const promised = ["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Strict", "Secure"]
  const [, secret = ""] = /^__Host-pawl=([\w-]{43})$/.exec(pair) ?? []
  return attributes.toSorted().join() === promised.join() ? secret : ""
}

/** Tests of the console of an installation. */
export const consoles = (installed: () => Installed): void => {
  const ask = asking(installed)
  const page = () => readFileSync(join(dist, "index.html"))

  describe("The console in workerd", () => {
    it("shows its page wherever a browser goes, with the headers of a server on a machine", async () => {
      const always = consoleHeaders(appHostsOf(installed().origin, "apps.localhost"))
      expect(always["content-security-policy"]).toContain("require-trusted-types-for 'script'")
      for (const path of ["/", "/p/shop/changes?status=open"]) {
        const { bytes, headers, status } = await ask("GET", path, html)
        expect([status, bytes.equals(page())]).toEqual([200, true])
        expect(headers).toMatchObject({
          ...always,
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-cache"
        })
        const tag = createHash("sha256").update(page()).digest("base64url").slice(0, 22)
        expect(headers["etag"]).toBe(`W/"${tag}"`)
        const again = await ask("GET", path, { ...html, "if-none-match": String(headers["etag"]) })
        expect([again.status, again.bytes.length, again.headers["etag"]]).toEqual([304, 0, headers["etag"]])
      }
      const head = await ask("HEAD", "/", html)
      expect([head.status, head.bytes.length, head.headers["etag"]]).toEqual([200, 0, expect.any(String)])
      expect((await ask("GET", "/v1/nothing", html)).json).toMatchObject({ status: 404 })
    })

    it("sends what the page loads, packed for who takes it, to be kept for ever; and nothing else of its folder", async () => {
      const [path = ""] = /\/console\/[\w-]+\.js/.exec(page().toString()) ?? []
      const file = readFileSync(join(dist, path))
      const plain = await ask("GET", path)
      expect([plain.status, plain.bytes.equals(file)]).toEqual([200, true])
      expect(plain.headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding"
      })
      const packed = await ask("GET", path, { "accept-encoding": "gzip, br" })
      expect(packed.headers).toMatchObject({ "content-encoding": "gzip", etag: plain.headers["etag"] })
      expect(gunzipSync(packed.bytes).equals(file)).toBe(true)
      for (const other of [`${path}.br`, "/console/../LICENSES.md", "/console/%2e%2e/.digest", "/console/constructor"])
        expect([other, (await ask("GET", other)).status]).toEqual([other, 404])
      for (const other of ["/index.html", "/LICENSES.md", "/.digest"])
        expect([other, (await ask("GET", other)).json["code"]]).toEqual([other, "not_found"])
    })
  })

  describe("A browser's session in workerd", () => {
    const signIn = (headers: Readonly<Record<string, string>> = here, token = installed().owner) =>
      ask("POST", "/v1/session", headers, { token })

    it("begins with a token, counts in the directory and in a Project's object, and ends for both", async () => {
      expect((await ask("GET", "/auth/methods")).json).toEqual({ methods: ["link", "token"] })
      const began = await signIn()
      const secret = secretOf(began)
      expect([began.status, secret === ""]).toEqual([204, false])
      const cookie = { ...here, cookie: `__Host-pawl=${secret}` }
      expect((await ask("GET", "/v1/session", cookie)).json).toMatchObject({
        session: { how: "token" },
        user: { name: "Owner" }
      })
      expect((await ask("GET", "/auth/methods", cookie)).json).toEqual({ methods: ["link", "token"], signedIn: true })
      const made = await ask("POST", "/v1/projects", cookie, { slug: "seen", files: Flow.source("one") })
      expect([made.status, made.json]).toEqual([201, { project: expect.objectContaining({ id: expect.any(String) }) }])
      const { id } = made.json["project"] as { readonly id: string }
      await Flow.liveApp(installed().api, id, 0)
      expect((await ask("GET", `/v1/projects/${id}`, cookie)).status).toBe(200)
      expect((await ask("DELETE", "/v1/session", cookie)).status).toBe(204)
      for (const path of ["/v1/session", `/v1/projects/${id}`])
        expect([path, (await ask("GET", path, cookie)).json["code"]]).toEqual([path, "unauthenticated"])
    })

    it("is refused to pages of other origins, to read, to write and to sign in", async () => {
      const cookie = `__Host-pawl=${secretOf(await signIn())}`
      for (const site of ["cross-site", "same-site"]) {
        const from = { "sec-fetch-site": site }
        for (const path of ["/v1/session", "/v1/projects"])
          expect((await ask("GET", path, { cookie, ...from })).json).toMatchObject({ status: 403, code: "cross_site" })
        const body = { slug: "stolen", files: Flow.source("one") }
        for (const [path, sent] of [
          ["/v1/projects", body],
          ["/v1/session", { token: installed().owner }]
        ] as const)
          expect((await ask("POST", path, { cookie, ...from }, sent)).json).toMatchObject({ code: "cross_site" })
        expect((await signIn(from)).json).toMatchObject({ status: 403, code: "cross_site" })
      }
      // A browser that says nothing of where a request comes from is not believed either.
      expect((await ask("GET", "/v1/session", { cookie })).json).toMatchObject({ code: "cross_site" })
    })

    it("begins with no token that is not good", async () => {
      const refused = await signIn(here, `${installed().owner}x`)
      expect([refused.status, refused.headers["set-cookie"]]).toEqual([401, undefined])
    })
  })

  describe.skipIf(browserMissing !== null)(
    `A browser before the console in workerd (${browserMissing ?? "Chromium"})`,
    () => {
      it("signs in by a token, goes to a Change of a Project, and breaks no rule of the page", async () => {
        const { api, origin, owner } = installed()
        const project = await Flow.createProject(api, "browsed")
        await Flow.liveApp(api, project.id, 0)
        await Flow.openChange(api, project.id, "Seen in a browser")
        const browser = await launch()
        try {
          const page = await browser.newPage()
          const complaints: Array<string> = []
          page.on("pageerror", ({ message }) => complaints.push(message))
          page.on("console", (line) => {
            if (/Content Security Policy|TrustedHTML|TrustedScript/.test(line.text())) complaints.push(line.text())
          })
          await page.goto(`${origin}/p/${project.label}/changes`)
          await page.getByLabel("API token").fill(owner)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("link", { name: "Seen in a browser" }).first().click()
          await page.getByRole("heading", { name: "Seen in a browser" }).first().waitFor()
          const [cookie] = (await page.context().cookies()).filter(({ name }) => name === "__Host-pawl")
          expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: "Strict" })
          // The browser keeps it: the page knows who is there when it is loaded anew.
          await page.reload()
          await page.getByRole("heading", { name: "Seen in a browser" }).first().waitFor()
          expect(complaints).toEqual([])
        } finally {
          await browser.close()
        }
      })
    }
  )
}
