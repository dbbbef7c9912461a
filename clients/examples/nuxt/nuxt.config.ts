export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  modules: ['@nuxt/image'],
  image: { provider: 'safelight', providers: { safelight: { provider: '~/providers/safelight.ts' } } },
})
