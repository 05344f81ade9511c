import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { assetServerContract } from "@pawl/testing/contracts/apps/AssetServerContract"
import { probeClientContract } from "@pawl/testing/contracts/release/ProbeClientContract"
import { Effect, Layer } from "effect"
import { Controls, makeWorld, pointer, project, storeSite, worldLayer } from "./World.ts"

assetServerContract("bundles in an object store", {
  site: async (files) => {
    const world = await makeWorld({ files })
    const version: AppVersion = {
      id: "v",
      project,
      channel: "production",
      bundleKey: world.stored.key,
      bundleDigest: world.stored.digest
    }
    const layer = Layer.effectContext(world.runtime.contextEffect)
    return {
      layer,
      version,
      missing: { ...version, id: "missing", bundleKey: "apps/none/bundle.json", bundleDigest: "0".repeat(64) }
    }
  }
})

probeClientContract("the router", {
  layer: (answers) => {
    const controls = new Controls()
    controls.app = (_version, request) => {
      const url = new URL(request.url)
      const answer = answers.get(`${url.pathname}${url.search}`)
      if (answer === undefined) return Effect.never
      const { body, contentType, status } = answer
      return Effect.succeed({
        status,
        headers: contentType === null ? [] : [["content-type", contentType]],
        body: (async function* () {
          for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
        })()
      })
    }
    const installed = Layer.effectDiscard(
      Effect.map(storeSite(), (stored) => {
        controls.rows = [pointer(stored)]
      })
    )
    return Layer.provideMerge(installed, worldLayer(controls))
  }
})
