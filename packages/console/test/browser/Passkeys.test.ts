import { createHash } from "node:crypto"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { signedIn, type SignedInPage } from "./kit/SignedIn.ts"

/** A device with passkeys, in the browser: its person is there and is verified. */
const addDevice = async (page: Page, transport: "internal" | "usb") => {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable")
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return {
    /** Whether its person touches it when it is asked. */
    touched: (enabled: boolean) => session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
  }
}

describe.skipIf(browserMissing !== null)(`Passkeys in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let projectId: string
  let opened: SignedInPage

  const refused = /\/v1\/(session|changes-of-state|approvers)$|\/(approve|approvers\/[\w-]+)$/
  const open = async (path: string) => {
    opened = await signedIn(world.browser, world.server.port, token, path, {}, refused)
    return opened
  }
  const go = async (path: string, heading: string) => {
    await opened.page.goto(`http://localhost:${world.server.port}${path}`)
    await opened.settled(heading)
  }

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
    await world.server.api.put(`/v1/projects/${projectId}/policy`, {
      approvalRiskTiers: ["low", "medium", "high"],
      approvalsSigned: ["low", "medium", "high"],
      autoPromoteRiskTiers: []
    })
  })

  /** SHA-256 of a Candidate's diff, as who asks for it as text has it. */
  const diffDigest = async (id: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/plain" }
    const diff = await fetch(`${world.server.origin}/v1/candidates/${id}/diff`, { headers })
    return createHash("sha256")
      .update(Buffer.from(await diff.arrayBuffer()))
      .digest("hex")
  }

  it("are enrolled, sign an approval of the tree that was shown and of no other, and are removed but for the last", async () => {
    const change = await Flow.openChange(world.server.api, projectId, "Say when we are open")
    await Flow.edit(world.server.api, change, { "public/hours.txt": "9 to 18\n" })
    const { id, tree } = await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    const challenge = await world.server.api.get<{ readonly text: string }>(
      `/v1/candidates/${id}/approval-challenge?decision=granted`
    )
    const otherTree = { ...challenge, text: challenge.text.replace(String(tree), "0".repeat(40)) }
    expect(otherTree.text).not.toBe(challenge.text)
    const { broken, page, picture, settled } = await open(`/changes/${change.id}`)
    const first = await addDevice(page, "internal")
    await settled(change.goal)

    // Without a passkey nothing is granted, and the way to one is shown.
    await page.keyboard.press("a")
    const dialog = page.getByRole("dialog", { name: "Approve this Candidate?" })
    await dialog.getByText("The Policy wants this signed by your passkey").waitFor()
    // What is signed for is shown before: the tree, and the digest of the diff.
    const shown = (label: string) => dialog.getByRole("button", { name: `Copy ${label} id` }).getAttribute("title")
    expect([await shown("tree"), await shown("diff digest")]).toEqual([tree, await diffDigest(id)])
    await dialog.getByRole("button", { name: "Approve and sign" }).click()
    await dialog.getByText("You have no passkey here").waitFor()
    expect(await broken()).toEqual([])
    await picture("passkey-missing")
    await dialog.getByRole("link", { name: "Your passkeys" }).click()

    await settled("Passkeys")
    await page.getByText("You have no passkey").waitFor()
    await page.getByRole("button", { name: "Enrol a passkey" }).click()
    await page.getByText("may endorse others").waitFor()
    await page.getByText("Enrol a second one").waitFor()
    expect(await broken()).toEqual([])
    await picture("passkey-first")
    const known = await world.server.api.get<{ items: ReadonlyArray<{ credential: string; rpId: string }> }>(
      "/v1/approvers"
    )
    expect(known.items).toMatchObject([{ rpId: "localhost" }])

    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await page.getByText("Enrol another one first").waitFor()
    await page.keyboard.press("Escape")

    await go(`/changes/${change.id}`, change.goal)
    await page.keyboard.press("a")
    // Were the server to ask to sign for another tree: nothing is signed.
    await page.route(/\/approval-challenge\?/, (route) => route.fulfill({ json: otherTree }), { times: 1 })
    const sign = dialog.getByRole("button", { name: "Approve and sign" })
    await sign.click()
    await dialog.getByText("The server asks to sign something else").waitFor()
    await dialog.getByText("Nothing was signed").waitFor()
    expect(await world.server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({ items: [] })
    await sign.click()
    await dialog.waitFor({ state: "detached" })
    expect(await world.server.api.get(`/v1/changes/${change.id}/approvals`)).toMatchObject({
      items: [{ candidateId: id, tree, decision: "granted", passkey: { credential: known.items[0]!.credential } }]
    })
    await page.getByText("Promote it.").waitFor()

    // A second device makes the next one, and the first endorses it.
    await go("/settings/passkeys", "Passkeys")
    await first.touched(false)
    const second = await addDevice(page, "usb")
    await page.route("**/v1/approvers", async (route) => {
      await second.touched(false)
      await first.touched(true)
      await route.continue()
    })
    await page.getByRole("button", { name: "Enrol a passkey" }).click()
    await page.getByRole("button", { name: "Remove" }).nth(1).waitFor()
    await picture("passkey-second")
    await page.getByRole("button", { name: "Remove" }).first().click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await page.getByText("removed", { exact: true }).waitFor()
    expect(await page.getByRole("button", { name: "Remove" }).count()).toBe(1)
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  })
})
