/**
 * A little registry over real HTTP for tests inside workerd, with the packages that its first message names. It says where
 * it is and the integrity of each; to any later message, which paths were asked for. It ends with who started it.
 */
import { once } from "node:events"
import { integrityOf, packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import { open, type PublishedPackage } from "@pawl/testing/registry/LittleRegistry"
import type { Published } from "./Published.ts"

process.on("disconnect", () => process.exit())
const [published] = (await once(process, "message")) as [ReadonlyArray<Published>]

const archived = published.map(({ files = {}, isTampered = false, manifest = {}, movedTo, name, version }) => {
  const archive = (more: Readonly<Record<string, string>>) =>
    tgzOf(packageEntries(name, version, { ...files, ...more }, manifest))
  const honest = archive({})
  const one: PublishedPackage = { name, version, manifest, archive: isTampered ? archive({ "evil.js": "1" }) : honest }
  return { one, movedTo, integrity: integrityOf(honest) }
})

const registry = await open(...archived.map(({ one }) => one))
registry.misbehave(({ path }, response) => {
  const moved = archived.find(({ movedTo }) => movedTo !== undefined)
  if (path === "/moved") response.writeHead(200).end(moved?.one.archive)
  else if (moved !== undefined && path.startsWith(`/${moved.one.name}/-/`))
    response.writeHead(302, { location: moved.movedTo }).end()
  else return false
  return true
})
process.on("message", () => process.send?.({ asked: registry.asked().map(({ path }) => path) }))
process.send?.({
  url: registry.url,
  integrity: Object.fromEntries(archived.map(({ integrity, one }) => [`${one.name}@${one.version}`, integrity]))
})
