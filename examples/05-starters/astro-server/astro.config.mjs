// @ts-check
import { defineConfig } from 'astro/config';
import cloudflare from '@astrojs/cloudflare';

// https://astro.build/config
export default defineConfig({
  output: 'server',
  // Without these two the adapter asks for a KV namespace and for Cloudflare Images.
  session: false,
  adapter: cloudflare({ imageService: 'passthrough' }),
});
