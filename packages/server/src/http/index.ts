/** The HTTP side: handlers and authentication over the contract. Portable: no Node. */
export { ApiSettings } from "./ApiSettings.ts"
export { type Endpoint, endpoints } from "./request/Endpoints.ts"
export { type HttpServices, makeHttpApp, type Mount, mountHttpApp } from "./PawlHttpApp.ts"
export { type Finding, MachineFindings } from "./MachineFindings.ts"
export { Readiness } from "./Readiness.ts"
export * as WebCryptoSecrets from "./WebCryptoSecrets.ts"
