/** The router: host to pointer to file or app. `./node/NodeFront` puts it before a Node server. */
export * as Assets from "./Assets.ts"
export * as Pages from "./Pages.ts"
export * as PointerCache from "./PointerCache.ts"
export * as Router from "./Router.ts"
export * as RouterProbeClient from "./RouterProbeClient.ts"
