import type { APIRoute } from 'astro';

export const POST: APIRoute = async ({ request }) => Response.json({ said: await request.text() });
