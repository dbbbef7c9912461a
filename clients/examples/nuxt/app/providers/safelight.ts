export { default } from '@safelight/client/nuxt'
