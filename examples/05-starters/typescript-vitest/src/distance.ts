import { z } from 'zod'

export const Query = z.object({
  km: z.coerce.number().nonnegative()
})

export const miles = (km: number): number => Math.round(km * 0.621371 * 100) / 100
