import { AutoRouter, error, type IRequest } from "itty-router"

const factors: Readonly<Record<string, number>> = { km: 1000, m: 1, cm: 0.01, mi: 1609.344 }

const router = AutoRouter()

const convert = ({ params, query }: IRequest) => {
  const from = factors[params["from"] ?? ""]
  const to = factors[params["to"] ?? ""]
  const value = Number(query["value"] ?? 1)
  if (from === undefined || to === undefined || Number.isNaN(value)) return error(400, "Unknown unit or value")
  return { value: (value * from) / to, unit: params["to"] }
}

router.get("/units", () => Object.keys(factors)).get("/convert/:from/:to", convert)

export default router
