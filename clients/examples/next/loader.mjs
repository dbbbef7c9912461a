'use client'

export { default } from '@safelight/client/next'
