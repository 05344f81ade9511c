import { packageStoreContract } from "@pawl/testing/contracts/packages/PackageStoreContract"
import { Effect } from "effect"
import { entryOf, openKit, published } from "./StoreKit.ts"

packageStoreContract("npm", async (packages) => {
  const all = packages.map(({ dependencies, license, name, scripts = [], version }) =>
    published({
      name,
      version,
      manifest: {
        license,
        ...(dependencies === undefined ? {} : { dependencies }),
        scripts: Object.fromEntries(scripts.map((script) => [script, "exit 1"]))
      }
    })
  )
  const kit = await openKit(...all)
  return {
    layer: kit.layer,
    stop: Effect.promise(() => kit.registry.close()),
    integrity: new Map(all.map((each) => [`${each.name}@${each.version}`, entryOf(each).integrity]))
  }
})
