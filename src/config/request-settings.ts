import { integer, setting, switchValue } from './setting.ts'

export const requestSettings = {
  maxBody: setting(integer(1, 2 ** 30).default(64 * 1024 * 1024), {
    env: 'SERVICE_MAXBODY',
    flag: 'max-body',
    help: 'Largest upload of embeddings in bytes, after decompression; other bodies have 1 MiB at most',
  }),
  trustProxy: setting(switchValue.default(false), {
    env: 'SERVICE_TRUSTPROXY',
    flag: 'trust-proxy',
    help: 'Believe X-Forwarded-Proto and X-Forwarded-Host, which a proxy in front sets',
  }),
  rateLimit: setting(integer(0, 1_000_000_000).default(0), {
    env: 'SERVICE_RATELIMIT',
    flag: 'rate-limit',
    help: "Requests a minute with one user's key; 0 for no limit",
  }),
  publicMetrics: setting(switchValue.default(false), {
    env: 'SERVICE_PUBLICMETRICS',
    flag: 'public-metrics',
    help: 'Serve /metrics without the administrator key',
  }),
}
